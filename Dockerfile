# docker build -t preon . && docker run --rm -v "$PWD:/data" preon quantize model.onnx -o int8.onnx --data calib.npz
# The first stage has compilers and is thrown away; the second one has Python, the wheel and a user without rights.
FROM debian:12-slim AS build
RUN apt-get update -q && apt-get install -y -q --no-install-recommends ca-certificates git python3 python3-venv
COPY . /source
ARG SOURCE_DATE_EPOCH=0
RUN cd /source && PREON_CACHE=/cache SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH ./dev package --to /dist wheel

FROM python:3.11-slim-bookworm
RUN --mount=type=bind,from=build,source=/dist,target=/dist pip install --no-cache-dir --no-compile /dist/preon-*.whl
RUN useradd --uid 1000 --create-home preon
USER preon
WORKDIR /data
ENTRYPOINT ["preon"]
CMD ["help"]

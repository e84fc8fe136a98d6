"""What preon consists of: the libraries inside its packages, with versions and licences, as a bill of materials (CycloneDX)."""
import datetime
import pathlib
import re
import subprocess
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent
#: Linked or packed libraries: name -> (licence by SPDX, where its version is: a variable of setup_deps.sh or a Debian package).
LIBRARIES = {
    "onnxruntime": ("MIT", "ORT_VERSION"), "onnx": ("Apache-2.0", "ONNX_VERSION"), "miniaudio": ("MIT-0", "MINIAUDIO_VERSION"),
    "protobuf": ("BSD-3-Clause", "libprotobuf-dev"), "openssl": ("Apache-2.0", "libssl-dev"), "highway": ("Apache-2.0", "libhwy-dev"),
    "libjpeg-turbo": ("IJG", "libjpeg62-turbo-dev"), "libwebp": ("BSD-3-Clause", "libwebp-dev"), "yaml-cpp": ("MIT", "libyaml-cpp-dev"),
    "zlib": ("Zlib", "zlib1g-dev"), "eigen": ("MPL-2.0", "libeigen3-dev"), "nlohmann-json": ("MIT", "nlohmann-json3-dev"),
    "CLI11": ("BSD-3-Clause", "libcli11-dev"), "xxhash": ("BSD-2-Clause", "libxxhash-dev"), "stb": ("MIT", "libstb-dev"),
}
#: Licences that a program under the Apache License may ship.
ALLOWED = {"MIT", "MIT-0", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "IJG", "Zlib", "MPL-2.0"}
NAMESPACE = uuid.UUID("6f1b1c8e-0d6f-4f0e-9d5c-2f2b0f6f5d11")


def version():
    return re.search(r"project\(preon VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def libraries():
    """(name, version, licence) of each."""
    setup = (ROOT / "scripts/setup_deps.sh").read_text()
    for name, (licence, source) in LIBRARIES.items():
        if licence not in ALLOWED:
            raise SystemExit(f"materials: {name}: licence {licence} is not one that preon may ship")
        pinned = re.search(rf"^{source}=(\S+)", setup, re.M)
        if pinned:
            yield name, pinned[1], licence
            continue
        done = subprocess.run(["dpkg-query", "-W", "-f=${Version}", source], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"materials: {name}: the package {source} is not installed, so its version is not known")
        yield name, done.stdout, licence


def bill(epoch):
    """JSON of CycloneDX 1.6; the same for the same versions and time."""
    from cyclonedx.model.bom import Bom
    from cyclonedx.model.component import Component, ComponentType
    from cyclonedx.model.license import DisjunctiveLicense
    from cyclonedx.output.json import JsonV1Dot6
    from packageurl import PackageURL

    def component(name, number, licence, kind=ComponentType.LIBRARY):
        return Component(name=name, version=number, type=kind, bom_ref=f"{name}@{number}", licenses=[DisjunctiveLicense(id=licence)],
                         purl=PackageURL("generic", None, name, number))

    own = component("preon", version(), "Apache-2.0", ComponentType.APPLICATION)
    parts = [component(*library) for library in libraries()]
    materials = Bom(components=parts)
    materials.metadata.component = own
    materials.register_dependency(own, parts)
    materials.metadata.timestamp = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc)
    materials.serial_number = uuid.uuid5(NAMESPACE, " ".join(part.bom_ref.value for part in parts) + str(epoch))
    return JsonV1Dot6(materials).output_as_string(indent=2) + "\n"

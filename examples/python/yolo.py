# %% [markdown]
# # A detector: YOLOv8n, with non-maximum suppression behind it
# Needs `./dev data` and Pillow. The model finds faces and parts of the body; it returns a box and 18 scores for each of 2100 places.

# %%
import os
import pathlib
import tempfile

import numpy as np
import onnxruntime
import preon
from PIL import Image

cache = pathlib.Path(os.environ.get("PREON_CACHE") or pathlib.Path.home() / ".cache/preon")
data = pathlib.Path(os.environ.get("PREON_DATA") or cache / "data")
model, scenes = data / "models/yolov8n_320.onnx", sorted((data / "images/coco_mappable").glob("*.jpg"))
work = pathlib.Path(tempfile.mkdtemp())


def letterbox(path, size=320):
    """Fitted into a square, top left, pixels from 0 to 1."""
    image = Image.open(path).convert("RGB")
    image.thumbnail((size, size))
    canvas = np.zeros((size, size, 3), np.float32)
    canvas[:image.height, :image.width] = np.asarray(image) / 255
    return canvas.transpose(2, 0, 1)


# %%
images = np.stack([letterbox(path) for path in scenes])
result = preon.quantize(model, work / "int8.onnx", data=images, threads=1, progress=False)
print(result)

# %% [markdown]
# ## Boxes
# The best of those that overlap stays. This part is no business of the model's, so it stays as it was in float.


# %%
def overlap(box, boxes):
    low, high = np.maximum(box[:2], boxes[:, :2]), np.minimum(box[2:], boxes[:, 2:])
    common = np.prod(np.clip(high - low, 0, None), 1)
    area = np.prod(boxes[:, 2:] - boxes[:, :2], 1)
    return common / (np.prod(box[2:] - box[:2]) + area - common)


def detect(path, image, score=0.4):
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    places = session.run(None, {"images": image[np.newaxis]})[0][0].T
    places = places[places[:, 4:].max(1) > score]
    places = places[np.argsort(-places[:, 4:].max(1))]
    centre, extent = places[:, :2], places[:, 2:4]
    boxes, kept = np.concatenate([centre - extent / 2, centre + extent / 2], 1), []
    while len(boxes):
        kept.append((int(places[0, 4:].argmax()), float(places[0, 4:].max()), boxes[0].round().astype(int).tolist()))
        rest = overlap(boxes[0], boxes[1:]) < 0.5
        boxes, places = boxes[1:][rest], places[1:][rest]
    return kept


for path in (model, work / "int8.onnx"):
    for scene, image in zip(scenes, images):
        for kind, score, box in detect(path, image):
            print(f"{path.name:<17} {scene.name}: class {kind}, score {score:.2f}, box {box}")

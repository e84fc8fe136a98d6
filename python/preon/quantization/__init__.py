"""What to quantize and how, in the words of AMD Quark's ONNX quantizer."""

"""Tests that measure one trained model: its figures are not those of the model that `./dev data` puts in its place."""

#: file::test -> the parameters; none are all.
OF_THE_MODEL_ITSELF = {
    "test_analyze.py::test_advice_and_thresholds": [],
    "test_analyze.py::test_the_shift_shows_layer_by_layer": [],
    "test_analyze_samples.py::test_an_injected_outlier_is_named": [],
    "test_analyze_samples.py::test_more_of_the_same_photos_stop_to_help": [],
    "test_analyze_samples.py::test_strata_in_one_run": [],
    "test_calibration_properties.py::test_sampled_mode_stays_close_to_exact_mode": ["mobilenetv2_1.0", "resnet20_cifar10",
        "sst2_transformer"],
    "test_dynamic.py::test_nearer_to_float_than_the_runtimes": ["sst2_transformer", "chargpt_shakespeare"],
    "test_float16.py::test_as_good_as_float32": ["resnet20_cifar10"],
    "test_input_checks.py::test_every_verb_that_reads_samples_warns": [],
    "test_input_checks.py::test_pixels_in_bytes_are_raw_pixels": [],
    "test_input_checks.py::test_wrong_samples_are_named": ["mobilenetv2_1.0-raw", "mobilenetv2_1.0-unit", "resnet50v2_stage3_probe-unit",
        "resnet50v2_stage3_probe-few", "resnet20_cifar10-raw", "resnet20_cifar10-unit"],
    "test_ort_graphs.py::test_options": ["sst2_transformer-uint8-int8-tensor-DedicatedQDQPair"],
    "test_peaks_of_outputs.py::test_scores_of_objects": [],
    "test_percentiles_against_numpy.py::test_minmse_from_default_statistics": ["yolox_nano-6"],
    "test_qoperator.py::test_against_the_runtimes_quantizer": ["mobilenetv2_1.0-52"],
    "test_qoperator.py::test_the_same_outputs_as_in_qdq_form": ["sst2_transformer-options3"],
    "test_scale_types.py::test_every_scale_is_of_the_type": ["resnet20_cifar10-power-of-two", "resnet20_cifar10-int16",
        "sst2_transformer-power-of-two", "sst2_transformer-int16"],
    "test_types_in_models.py::test_both_targets_run_and_agree": ["resnet20_cifar10-uint8", "resnet20_cifar10-bfloat16",
        "resnet20_cifar10-bfp16", "resnet20_cifar10-mxfp4e2m1", "sst2_transformer-mxint8"],
    "test_types_in_models.py::test_packed_weights_are_the_same_values_in_fewer_bytes": ["mxfp4e2m1"],
    "test_types_in_models.py::test_the_runtime_computes_what_mixed_types_say": ["int8-mxint8-simulate-23", "int16-float16-simulate-60",
        "uint8-int32-simulate-24", "int8-float8e4m3fn-quark-20", "uint16-uint32-simulate-70"],
}


def is_of_the_model_itself(item):
    test = f"{item.path.name}::{item.originalname}"
    parameters = OF_THE_MODEL_ITSELF.get(test)
    return parameters is not None and (not parameters or item.callspec.id in parameters)

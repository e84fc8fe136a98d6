"""The tables of `./dev bench formats` as Markdown, for docs/formats/comparison.md."""
FIGURES = "## Figures"
PACKED = ", weights packed"
TITLES = {"resnet20_cifar10": "ResNet20, CIFAR-10", "mobilenetv2_1.0": "MobileNetV2 1.0, ImageNet", "sst2_transformer": "Transformer, SST-2",
          "chargpt_shakespeare": "chargpt, Shakespeare"}


def markdown(header, rows):
    lines = ["| " + " | ".join(map(str, line)) + " |" for line in [header, *rows]]
    return "\n".join([lines[0], "|---" * len(header) + "|", *lines[1:]]) + "\n"


def accuracy(row, digits):
    """SQNR; change of the score with its error; samples lost and won."""
    if row is None or "error" in row:
        return ["", "", ""] if row is None else ["refused", "", ""]
    return [f"{row['sqnr_db']:.1f}", f"{row['change']:+.{digits}f} ± {row['standard_error']:.{digits}f}", f"-{row['lost']} +{row['won']}"]


def megabytes(row):
    return "" if row is None or "error" in row else f"{row['size_bytes']['quantized'] / 1e6:.2f}"


def times_float(row):
    return "" if row is None or "error" in row else f"{row['times_float']:.1f}"


def tables(name, result):
    digits = 4 if result["metric"] == "nats" else 2
    rows = {(row["case"], row["target"]): row for row in result["rows"]}
    cases = list(dict.fromkeys(case for case, _ in rows))
    types = [case for case in cases if "," not in case and " + " not in case]
    size = next(row["size_bytes"]["float"] for row in result["rows"] if "size_bytes" in row)
    yield f"### {TITLES.get(name, name)}\n"
    yield f"Float: {result['float']:.{digits}f} {result['metric']} on {result['samples']} samples, {size / 1e6:.2f} MB.\n"
    by_type = []
    for case in types:
        stock, quark = rows.get((case, "simulate")), rows.get((case, "quark"))
        by_type.append([case, *accuracy(stock, digits), megabytes(stock), megabytes(rows.get((case + PACKED, "simulate"))), times_float(stock),
                        *accuracy(quark, digits), megabytes(quark), times_float(quark)])
    yield markdown(["type", "SQNR dB", "change", "samples", "MB", "packed", "× float", "`quark` SQNR", "change", "samples", "MB", "× float"], by_type)
    mixtures = [[case, target, *accuracy(row, digits), megabytes(row), times_float(row)]
                for (case, target), row in rows.items() if case not in types and not case.endswith(PACKED)]
    if mixtures:
        yield markdown(["activations + weights", "target", "SQNR dB", "change", "samples", "MB", "× float"], mixtures)
    for (case, target), row in rows.items():
        if "error" in row:
            yield f"{case}, `{target}`: {row['error']}\n"


def write_page(path, results):
    """Keeps what a person wrote above the line FIGURES."""
    text = path.read_text() if path.exists() else f"{FIGURES}\n"
    head = text[:text.index(FIGURES)] if FIGURES in text else text + "\n"
    machines = sorted({f"{result['cpu']}, {result['cores']} cores" for result in results.values()})
    intro = f"`./dev bench formats --markdown docs/formats/comparison.md`; {'; '.join(machines)}, latency at one thread.\n"
    path.write_text(head + "\n".join([FIGURES + "\n", intro, *(part for name, result in results.items() for part in tables(name, result))]))

"""`python -m preon.launch`: describe a run, one shard of it, the merge; for schedulers that start programs."""
import argparse
import sys

from ..errors import PreonError
from . import describe, merge_run, run_shard


def _described(arguments):
    options = {}
    for option in arguments.option:
        name, _, value = option.partition("=")
        options.setdefault(name.replace("-", "_"), []).append(value)
    described = describe(arguments.model, arguments.run, output=arguments.output, shards=arguments.shards, data=arguments.data, **options)
    return f"{arguments.run}: {len(described['results'])} shards"


def main():
    parser = argparse.ArgumentParser(prog="python -m preon.launch", description=__doc__)
    verbs = parser.add_subparsers(required=True)
    verb = verbs.add_parser("describe", help="write the description of a run")
    verb.add_argument("model")
    verb.add_argument("run", help="the JSON file to write")
    verb.add_argument("--output", required=True, help="the .calib file of all shards together")
    verb.add_argument("--shards", type=int, required=True)
    verb.add_argument("--data", nargs="+", required=True)
    verb.add_argument("--option", nargs="+", action="extend", default=[], metavar="NAME=VALUE", help="of preon calibrate: preprocess=imagenet")
    verb.set_defaults(call=_described)
    verb = verbs.add_parser("shard", help="compute one shard, unless it is done")
    verb.add_argument("run")
    verb.add_argument("shard", type=int, help="from 1")
    verb.set_defaults(call=lambda arguments: run_shard(arguments.run, arguments.shard))
    verb = verbs.add_parser("merge", help="merge all shards")
    verb.add_argument("run")
    verb.set_defaults(call=lambda arguments: merge_run(arguments.run))
    arguments = parser.parse_args()
    try:
        print(arguments.call(arguments))
    except PreonError as error:
        print(f"preon: error {error}", file=sys.stderr)
        sys.exit(error.exit_status)


if __name__ == "__main__":
    main()

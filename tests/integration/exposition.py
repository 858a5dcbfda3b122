"""A strict reader of Prometheus' text format 0.0.4: what is not just as the format has it is an error."""
import math
import re

_NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
_HELP = re.compile(rf"# HELP ({_NAME}) ((?:[^\\]|\\\\|\\n)*)")
_TYPE = re.compile(rf"# TYPE ({_NAME}) (counter|gauge|histogram)")
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\\\|\\"|\\n)*)"')
_SAMPLE = re.compile(rf"({_NAME})(?:\{{(.*)\}})? (\S+)")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]Inf|NaN")
_SUFFIXES = {"counter": ("",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}


class Malformed(Exception):
    pass


class Family:
    def __init__(self, name, text):
        self.name, self.help, self.kind, self.samples = name, text, None, {}


def _labels(text):
    labels, rest = {}, text
    while rest:
        match = _LABEL.match(rest)
        if not match:
            raise Malformed(f"no label: {rest!r}")
        name, value = match.groups()
        if name in labels:
            raise Malformed(f"label {name} twice: {text!r}")
        unescape = {"n": "\n", "\\": "\\", '"': '"'}
        labels[name] = re.sub(r"\\(.)", lambda m: unescape[m.group(1)], value)
        rest = rest[match.end():]
        if rest and not re.match(r",[a-zA-Z_]", rest):
            raise Malformed(f"no comma: {rest!r}")
        rest = rest[1:]
    return tuple(sorted(labels.items()))


def _number(text):
    if not _NUMBER.fullmatch(text):
        raise Malformed(f"no number: {text!r}")
    return float(text.replace("Inf", "inf").replace("NaN", "nan"))


def parse(text):
    """Families by name; Family.samples: (name with its suffix, sorted labels) -> number."""
    families, now = {}, None
    if not text.endswith("\n"):
        raise Malformed("the last line has no end")
    for line in text[:-1].split("\n"):
        if match := _HELP.fullmatch(line):
            if match.group(1) in families:
                raise Malformed(f"a family comes twice: {line!r}")
            now = families[match.group(1)] = Family(*match.groups())
        elif match := _TYPE.fullmatch(line):
            if now is None or now.name != match.group(1) or now.kind or now.samples:
                raise Malformed(f"a type in the wrong place: {line!r}")
            now.kind = match.group(2)
        elif match := _SAMPLE.fullmatch(line):
            name, labels, value = match.groups()
            if now is None or name not in [now.name + suffix for suffix in _SUFFIXES[now.kind]]:
                raise Malformed(f"not of the family before it: {line!r}")
            key = (name, _labels(labels or ""))
            if key in now.samples:
                raise Malformed(f"the same series twice: {line!r}")
            now.samples[key] = _number(value)
        else:
            raise Malformed(f"no line of this format: {line!r}")
    for family in families.values():
        _check(family)
    return families


def _check(family):
    if family.kind is None:
        raise Malformed(f"{family.name} has no type")
    if family.kind == "counter" and not (family.name.endswith("_total")):
        raise Malformed(f"the counter {family.name} does not end in _total")
    if family.kind == "counter" and any(not value >= 0 for value in family.samples.values()):
        raise Malformed(f"the counter {family.name} is below zero")
    if family.kind == "histogram":
        _check_histogram(family)


def _check_histogram(family):
    buckets = {}
    for (name, labels), value in family.samples.items():
        if name.endswith("_bucket"):
            plain = tuple(pair for pair in labels if pair[0] != "le")
            buckets.setdefault(plain, []).append((_number(dict(labels)["le"]), value))
        elif "le" in dict(labels):
            raise Malformed(f"{name} has a bound")
    for plain, pairs in buckets.items():
        bounds, counts = zip(*pairs)
        if list(bounds) != sorted(set(bounds)) or bounds[-1] != math.inf:
            raise Malformed(f"bounds of {family.name} do not rise to infinity: {bounds}")
        if list(counts) != sorted(counts):
            raise Malformed(f"{family.name} counts less below a higher bound: {counts}")
        if family.samples.get((family.name + "_count", plain)) != counts[-1]:
            raise Malformed(f"{family.name} has another count than its last bucket")
        if (family.name + "_sum", plain) not in family.samples:
            raise Malformed(f"{family.name} has no sum")
    counted = {labels for (name, labels) in family.samples if not name.endswith("_bucket")}
    if counted != set(buckets):
        raise Malformed(f"{family.name} has a sum or count without buckets")


def value(families, name, **labels):
    """The number of one series, None where there is none."""
    for suffix in ("", "_sum", "_count", "_bucket"):
        family = families.get(name.removesuffix(suffix) if suffix else name)
        if family and (name, tuple(sorted(labels.items()))) in family.samples:
            return family.samples[name, tuple(sorted(labels.items()))]
    return None

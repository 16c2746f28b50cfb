"""Reads slices in any wire format, one JSON value a line, and writes each in the `standard` format.

Written from docs/wire.md alone, with the standard library alone, so that it fails where the page leaves something out.
"""

import json
import sys


class Slice:
    """A compact slice, and its tables."""

    def __init__(self, doc):
        self.doc = doc
        self.version = doc["v"]
        assert self.version in (1, 2, 3), f"version {self.version} is none that the page describes"
        self.ids = doc["symbolIndex"]
        self.paths = doc.get("paths", [])
        self.types = doc.get("types", [])
        self.names = {card["i"]: card.get("q", card["n"]) for card in doc["cards"]}

    def path(self, value):
        return self.paths[value] if isinstance(value, int) else value

    def decode(self):
        out = {"cards": [self.card(card) for card in self.doc["cards"]]}
        if "cardRefs" in self.doc:
            out["cardRefs"] = [
                {"symbolId": self.ids[number], "etag": etag, "range": place(span)}
                for number, etag, span in self.doc["cardRefs"]
            ]
        out["edges"] = list(self.edges())
        out["frontier"] = [
            {"symbolId": self.ids[number], "name": name, "file": self.path(path), "score": score}
            for number, name, path, score in self.doc["frontier"]
        ]
        out["estimatedTokens"] = self.doc["estimatedTokens"]
        return out

    def card(self, card):
        out = {
            "symbolId": self.ids[card["i"]],
            "name": card["n"],
            "qualifiedName": card.get("q", card["n"]),
            "kind": card["k"],
            "exported": card.get("x") == 1,
            "file": self.path(card["f"]),
            "range": place(card["r"]),
            "etag": card["t"],
        }
        readers = {
            "s": ("signature", signature),
            "d": ("summary", str),
            "c": ("deps", self.deps),
            "b": ("members", self.members),
            "h": ("membersOmitted", int),
            "v": ("invariants", list),
            "e": ("sideEffects", lambda pairs: [{"kind": kind, "what": what} for kind, what in pairs]),
            "m": ("metrics", self.metrics),
            "l": ("cluster", str),
            "p": ("processes", list),
            "w": ("ledgerVersion", lambda number: f"v{number}"),
        }
        for key, (field, read) in readers.items():
            if key in card:
                out[field] = read(card[key])
        unknown = set(card) - set("inqkxfrt") - set(readers)
        assert not unknown, f"keys of a card that the page does not describe: {unknown}"
        return out

    def members(self, runs):
        return [
            {"symbolId": self.ids[number], "name": name, "kind": kind}
            for kind, *members in runs
            for number, name in members
        ]

    def metrics(self, parts):
        parts = parts + [None] * (5 - len(parts))
        out = {"fanIn": parts[0], "fanOut": parts[1]}
        if parts[2] is not None:
            out["churn30d"] = parts[2]
        if parts[3] is not None:
            out["testRefs"] = parts[3]
        if parts[4] is not None:
            number, name, path = parts[4]
            out["canonicalTest"] = {"symbolId": self.ids[number], "name": name, "file": self.path(path)}
        return out

    def deps(self, deps):
        out = {"calls": [], "imports": []}
        fields = {"c": "calls", "i": "imports", "m": "implements", "g": "config", "u": "refs"}
        for key, field in fields.items():
            if key in deps:
                out[field] = list(self.runs(deps[key]) if self.version == 3 else map(self.dep, deps[key]))
        if "o" in deps:
            out["omitted"] = deps["o"]
        unknown = set(deps) - set(fields) - {"o"}
        assert not unknown, f"keys of dependencies that the page does not describe: {unknown}"
        return out

    def dep(self, parts):
        """`[ID, NAME?, CONFIDENCE, RESOLUTION?, HOW?]`"""
        number, *rest = parts
        name = rest.pop(0) if isinstance(rest[0], str) else self.names[number]
        confidence, *rest = rest
        resolved = resolution(rest.pop(0) if rest and isinstance(rest[0], str) else None)
        return self.dependency(number, name, confidence, resolved, rest[0] if rest else None)

    def runs(self, runs):
        """Runs of `[CONFIDENCE, RESOLUTION?, target…]`."""
        for confidence, *targets in runs:
            resolved = resolution(targets.pop(0) if isinstance(targets[0], str) else None)
            for target in targets:
                number, *rest = target if isinstance(target, list) else [target]
                name = rest.pop(0) if rest and isinstance(rest[0], str) else self.names[number]
                yield self.dependency(number, name, confidence, resolved, rest[0] if rest else None)

    def dependency(self, number, name, confidence, resolved, how):
        out = {
            "symbolId": self.ids[number],
            "name": name,
            "confidence": fraction(confidence),
            "resolution": resolved,
        }
        if how is not None:
            out["how"] = {"strategy": how["s"], "line": how["l"], "sites": how["t"]}
        return out

    def edges(self):
        for entry in self.doc["edges"]:
            if self.version == 3:
                kind, confidence, *groups = entry
                resolved = resolution(groups.pop(0) if isinstance(groups[0], str) else None)
                for source, *targets in groups:
                    for target in targets:
                        yield self.edge(source, target, kind, confidence, resolved)
            else:
                source, target, kind, confidence, *rest = entry
                kind = self.types[kind] if isinstance(kind, int) else kind
                yield self.edge(source, target, kind, confidence, resolution(rest[0] if rest else None))

    def edge(self, source, target, kind, confidence, resolved):
        return {
            "from": self.ids[source],
            "to": self.ids[target],
            "type": kind,
            "confidence": fraction(confidence),
            "resolution": resolved,
        }


def place(span):
    if len(span) == 2:
        return {"startLine": span[0], "endLine": span[1]}
    out = {"startLine": span[0]}
    if span[1] is not None:
        out["startCol"] = span[1]
    out["endLine"] = span[2]
    if span[3] is not None:
        out["endCol"] = span[3]
    return out


def signature(parts):
    out = {}
    if parts[0]:
        out["params"] = [param(one) for one in parts[0]]
    for field, text in zip(("returns", "generics", "header"), parts[1:]):
        if text is not None:
            out[field] = text
    return out


def param(value):
    if isinstance(value, str):
        return {"name": value}
    out = {"name": value[0]}
    if value[1] is not None:
        out["type"] = value[1]
    if len(value) == 3:
        out["optional"] = True
    return out


def resolution(code):
    return {None: "exact", "i": "inferred", "a": "ambiguous"}[code]


def fraction(hundredths):
    return hundredths // 100 if hundredths % 100 == 0 else hundredths / 100


def decode(doc):
    """A slice in any format to `standard`."""
    return Slice(doc).decode() if "v" in doc else doc


if __name__ == "__main__":
    for line in sys.stdin.buffer:
        print(json.dumps(decode(json.loads(line))))

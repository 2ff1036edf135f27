"""Parses multipart forms, twice each: by RFC 7578 and RFC 2046, and by Python's email package.

usage: multipart.py INPUT OUTPUT

Each line of the input is a JSON object with the media type and the body in Base64. Each line of the output is an object
with the parts that each parser has found: name, file name, media type and content in Base64.
"""

import base64
import email
import email.policy
import json
import sys


def parameters(line):
    """Returns the parameters of a Content-Disposition, whose quoted strings are escaped as browsers do."""
    kind, _, rest = line.partition(";")
    assert kind.strip() == "form-data", line
    found = {}
    while rest:
        name, equals, rest = rest.partition('="')
        assert equals, line
        value, quote, rest = rest.partition('"')
        assert quote, line
        assert name.strip() not in found, line
        found[name.strip()] = (
            value.replace("%22", '"').replace("%0D", "\r").replace("%0A", "\n").replace("%00", "\0")
        )
        assert rest == "" or rest.startswith(";"), line
        rest = rest[1:]
    return found


def part(disposition, kind, content):
    found = parameters(disposition)
    assert set(found) <= {"name", "filename"}, disposition
    return [found["name"], found.get("filename"), kind, base64.b64encode(content).decode()]


def boundary(kind):
    prefix = "multipart/form-data; boundary="
    assert kind.startswith(prefix), kind
    return kind[len(prefix):].encode()


def strictly(kind, body):
    delimiter = b"--" + boundary(kind)
    if body == delimiter + b"--\r\n":
        return []
    assert body.startswith(delimiter + b"\r\n"), "no first delimiter"
    pieces = (b"\r\n" + body).split(b"\r\n" + delimiter)
    assert pieces[0] == b"" and pieces[-1] == b"--\r\n", "no closing delimiter"
    parts = []
    for piece in pieces[1:-1]:
        assert piece.startswith(b"\r\n"), "a delimiter is not a line"
        head, separator, content = piece[2:].partition(b"\r\n\r\n")
        assert separator, "no end of a part's head"
        fields = {}
        for line in head.split(b"\r\n"):
            assert b"\r" not in line and b"\n" not in line, line
            name, _, value = line.decode("utf-8").partition(": ")
            assert name.lower() not in fields, line
            fields[name.lower()] = value
        assert set(fields) <= {"content-disposition", "content-type"}, fields
        parts.append(part(fields["content-disposition"], fields.get("content-type"), content))
    return parts


def by_email(kind, body):
    head = b"Content-Type: " + kind.encode() + b"\r\n\r\n"
    message = email.message_from_bytes(head + body, policy=email.policy.compat32)
    if body == b"--" + boundary(kind) + b"--\r\n":
        return []  # A form without parts, which the package takes for a defect.
    assert not message.defects, message.defects

    def text(value):
        return None if value is None else value.encode("ascii", "surrogateescape").decode("utf-8")

    parts = []
    for one in message.get_payload():
        fields = {name.lower(): value for name, value in one.raw_items()}
        content = one.get_payload(decode=True)
        parts.append(part(text(fields["content-disposition"]), text(fields.get("content-type")), content))
    return parts


with open(sys.argv[1], encoding="utf-8") as forms, open(sys.argv[2], "w", encoding="utf-8") as results:
    for line in forms:
        form = json.loads(line)
        body = base64.b64decode(form["body"])
        found = {"strict": strictly(form["type"], body), "email": by_email(form["type"], body)}
        results.write(json.dumps(found) + "\n")

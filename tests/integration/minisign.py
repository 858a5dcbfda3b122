"""Signs files as minisign does. Ed25519 as RFC 8032, section 5.1, defines it; for tests alone: it is slow and not constant in time."""
import base64
import hashlib

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def add(a, b):
    """Of points as (x z, y z, z, x y z)."""
    e, h = (a[1] - a[0]) * (b[1] - b[0]), (a[1] + a[0]) * (b[1] + b[0])
    c, d = 2 * a[3] * b[3] * D, 2 * a[2] * b[2]
    e, f, g, h = h - e, d - c, d + c, h + e
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(scalar, point):
    sum_of = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            sum_of = add(sum_of, point)
        point = add(point, point)
        scalar >>= 1
    return sum_of


def base_point():
    y = 4 * pow(5, P - 2, P) % P
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    x = P - x if x & 1 else x
    return x, y, 1, x * y % P


def encoded(point):
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def hashed(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little")


BASE = base_point()


class Signer:
    """A key pair made from a number; the same number makes the same pair."""

    def __init__(self, number):
        digest = hashlib.sha512(bytes([number]) * 32).digest()
        self.scalar = int.from_bytes(digest[:32], "little") & ~7 & (1 << 255) - 1 | 1 << 254
        self.prefix = digest[32:]
        self.public = encoded(times(self.scalar, BASE))
        self.id = bytes([number]) * 8

    def signature(self, message):
        nonce = hashed(self.prefix, message) % L
        point = encoded(times(nonce, BASE))
        return point + ((nonce + hashed(point, self.public, message) * self.scalar) % L).to_bytes(32, "little")

    def public_key(self):
        """The second line of a .pub file."""
        return base64.b64encode(b"Ed" + self.id + self.public).decode()

    def minisig(self, data, legacy=False, comment="timestamp:1\tfile:hello.so\thashed", covered=None):
        """A .minisig file for the bytes; `covered` is the trusted comment that was signed, where it is another one."""
        own = self.signature(data if legacy else hashlib.blake2b(data).digest())
        whole = self.signature(own + (comment if covered is None else covered).encode())
        first = base64.b64encode((b"Ed" if legacy else b"ED") + self.id + own).decode()
        return "\n".join(["untrusted comment: signature from a test", first, f"trusted comment: {comment}",
                          base64.b64encode(whole).decode(), ""])

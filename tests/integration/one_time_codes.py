"""The codes of a person's app: RFC 6238 by the book, by another hand than the host's."""
import base64
import hashlib
import hmac
import struct
import time

STEP_S = 30
# A code may be this long on its way. The host takes the step before the present one, and none older.
ON_ITS_WAY_S = 8


def code_of(secret, ahead=0):
    """The code of the present step, or of that many later; waits where the step is about to end."""
    left = STEP_S - time.time() % STEP_S
    if left < ON_ITS_WAY_S:
        time.sleep(left)
    return _code_at(secret, int(time.time()) // STEP_S + ahead)


def first_code_of(secret):
    """The code that confirms an enrolment: of the present step, without a wait, as it is good in the next step too."""
    return _code_at(secret, int(time.time()) // STEP_S)


def _code_at(secret, step):
    digest = hmac.new(base64.b32decode(secret), struct.pack(">Q", step), hashlib.sha1).digest()
    at = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[at:at + 4])[0] & 0x7FFFFFFF) % 10**6:06}"

"""RTP packets (RFC 3550 5.1), as they are within SRTP: pure."""

import struct

from voice_hitl.frozen import frozen

_HEADER = struct.Struct("!BBHII")
_EXTENSION = struct.Struct("!HH")

_VERSION = 2 << 6
_PADDED, _EXTENDED, _SOURCES = 0x20, 0x10, 0x0F
_MARKER = 0x80

_SEQUENCES, _TIMESTAMPS = 1 << 16, 1 << 32


@frozen()
class Packet:
    """One packet. `source` is its SSRC; extensions of its header and who contributed to it are not kept."""

    payload_type: int
    sequence_number: int
    timestamp: int
    source: int
    payload: bytes
    marker: bool = False


def is_rtp(datagram: bytes) -> bool:
    """Whether a datagram is RTP or SRTP, where STUN, DTLS and RTCP come on the same port (RFC 7983, RFC 5761 4)."""
    return len(datagram) >= _HEADER.size and 128 <= datagram[0] < 192 and not 192 <= datagram[1] < 224


def read(data: bytes) -> Packet | None:
    """Read a packet; None where it is none."""
    if len(data) < _HEADER.size:
        return None
    first, second, sequence, timestamp, source = _HEADER.unpack_from(data)
    begins = _HEADER.size + 4 * (first & _SOURCES)
    if first & _EXTENDED:
        if len(data) < begins + _EXTENSION.size:
            return None
        begins += _EXTENSION.size + 4 * _EXTENSION.unpack_from(data, begins)[1]
    ends = len(data) - (data[-1] if first & _PADDED else 0)
    if first >> 6 != _VERSION >> 6 or begins > ends:
        return None
    return Packet(second & ~_MARKER, sequence, timestamp, source, data[begins:ends], bool(second & _MARKER))


class Stream:
    """What one source sends: its packets are numbered one after another.

    Args:
        source: Its SSRC.
        sequence: The first packet's number.
        origin: What its timestamps begin at.
        extension: Extensions of every packet's header, as they are written (RFC 8285); none if empty.
    """

    def __init__(self, source: int, *, sequence: int, origin: int, extension: bytes = b"") -> None:
        self._source = source
        self._sequence = sequence
        self._origin = origin
        self._extension = extension
        self._first = _VERSION | (_EXTENDED if extension else 0)

    def timestamp(self, elapsed: int) -> int:
        """The timestamp of what is `elapsed` units of the clock behind the beginning."""
        return (self._origin + elapsed) % _TIMESTAMPS

    def write(self, payload_type: int, timestamp: int, payload: bytes, *, marker: bool = False) -> bytes:
        """The next packet."""
        second = payload_type | _MARKER if marker else payload_type
        header = _HEADER.pack(self._first, second, self._sequence, timestamp, self._source)
        self._sequence = (self._sequence + 1) % _SEQUENCES
        return header + self._extension + payload

internal import Glibc

/// Bytes that somebody else owns, valid while the request that they belong to is.
///
/// Requests are judged without making a `String` of anything: at 150 000 a second each allocation shows.
package typealias Bytes = UnsafeBufferPointer<UInt8>

extension Bytes {
    @inline(__always)
    package func equals(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && (count == 0 || memoryEqual(baseAddress!, text.utf8Start, count))
    }

    @inline(__always)
    package func equals(_ other: [UInt8]) -> Bool {
        count == other.count
            && other.withUnsafeBufferPointer {
                count == 0 || memoryEqual(baseAddress!, $0.baseAddress!, count)
            }
    }

    /// The bytes from `index` on.
    @inline(__always)
    package func from(_ index: Int) -> Bytes { Bytes(rebasing: self[Swift.min(index, count)...]) }

    @inline(__always)
    package func starts(with text: StaticString) -> Bool {
        count >= text.utf8CodeUnitCount && memoryEqual(baseAddress!, text.utf8Start, text.utf8CodeUnitCount)
    }

    package var text: String { String(decoding: self, as: UTF8.self) }

    /// Sixty-four bits that tell byte strings apart for counting and for caches, not for adversaries.
    package var hash64: UInt64 {
        var hash: UInt64 = 0x9E37_79B9_7F4A_7C15 ^ UInt64(count)
        var rest = UnsafeRawBufferPointer(self)
        while rest.count >= 8 {
            hash = Self.mixed(hash ^ rest.loadUnaligned(as: UInt64.self))
            rest = UnsafeRawBufferPointer(rebasing: rest[8...])
        }
        var last: UInt64 = 0
        for byte in rest { last = last << 8 | UInt64(byte) }
        return Self.mixed(hash ^ last)
    }

    @inline(__always)
    package static func mixed(_ word: UInt64) -> UInt64 {
        let product = word.multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        return product.high ^ product.low
    }
}

@inline(__always)
private func memoryEqual(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    memcmp(left, right, count) == 0
}

import CProbeShims
import PushTransport
import TestSupport
import Testing

/// Tests of the decoder against nghttp2's encoder and decoder, which are independent implementations of RFC
/// 7541.
@Suite struct HPACKDecoderTests {
    struct Field: Hashable { var name, value: String }

    /// The decoder of one connection. It returns the fields of a block; `nil` if the block is malformed.
    private final class Reader {
        private var decoder = HPACKDecoder()
        func read(_ block: [UInt8]) -> [Field]? {
            block.withUnsafeBufferPointer { bytes in
                var (offset, fields) = (0, [Field]())
                while true {
                    switch decoder.next(bytes, from: &offset) {
                    case .field:
                        fields.append(
                            Field(
                                name: String(decoding: decoder.name, as: UTF8.self),
                                value: String(decoding: decoder.value, as: UTF8.self)))
                    case .end: return fields
                    case .malformed: return nil
                    }
                }
            }
        }
    }

    private final class Deflater {
        private var deflater: OpaquePointer?
        init() { nghttp2_hd_deflate_new(&deflater, 4096) }
        deinit { nghttp2_hd_deflate_del(deflater) }
        func limitTable(to bytes: Int) { nghttp2_hd_deflate_change_table_size(deflater, bytes) }
        func write(_ fields: [Field], flags: [UInt8]) -> [UInt8] {
            var memory: [UnsafeMutablePointer<UInt8>] = []
            func setBuffer(_ text: String) -> (UnsafeMutablePointer<UInt8>, Int) {
                let bytes = Array(text.utf8)
                let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count + 1)
                copy.initialize(from: bytes, count: bytes.count)
                memory.append(copy)
                return (copy, bytes.count)
            }
            defer { for pointer in memory { pointer.deallocate() } }
            let values = zip(fields, flags).map { field, flags in
                let (name, value) = (setBuffer(field.name), setBuffer(field.value))
                return nghttp2_nv(
                    name: name.0, value: value.0, namelen: name.1, valuelen: value.1, flags: flags)
            }
            var block = [UInt8](repeating: 0, count: 200_000)
            let count = nghttp2_hd_deflate_hd(deflater, &block, block.count, values, values.count)
            precondition(count >= 0, "nghttp2 did not encode")
            return Array(block[..<count])
        }
    }

    private static func text(_ chance: inout SeededRandom) -> String {
        let usual = "0123456789abcdef-0123456789abcdef-"
        let kind = chance.below(8)
        return String(
            String.UnicodeScalarView(
                (0..<chance.below([5, 40, 40, 40, 200, 40, 3, kind == 7 ? 6_000 : 60][kind])).map { _ in
                    kind < 5
                        ? Array(usual.unicodeScalars)[chance.below(usual.count)]
                        : Unicode.Scalar(UInt8(chance.below(128)))
                }))
    }

    private static func field(_ chance: inout SeededRandom, _ known: [Field]) -> Field {
        if chance.below(2) == 0, !known.isEmpty { return known[chance.below(known.count)] }
        let names = [":status", "apns-id", "content-type", "date", "x-\(chance.below(6))", text(&chance)]
        return Field(name: names[chance.below(names.count)], value: text(&chance))
    }

    @Test(arguments: 1...40) func `a block that nghttp2 encoded is decoded unchanged`(seed: UInt64) {
        var chance = SeededRandom(seed: seed)
        let (deflater, reader) = (Deflater(), Reader())
        var known: [Field] = []
        for _ in 0..<300 {
            if chance.below(10) == 0 { deflater.limitTable(to: [0, 64, 500, 4096][chance.below(4)]) }
            let fields = (0..<chance.below(6)).map { _ in Self.field(&chance, known) }
            let flags = fields.map { _ in UInt8(chance.below(6) == 0 ? NGHTTP2_NV_FLAG_NO_INDEX.rawValue : 0)
            }
            let block = deflater.write(fields, flags: flags)
            #expect(reader.read(block) == fields)
            known = Array((fields + known).prefix(80))
        }
    }

    @Test(arguments: 1...40) func `both decoders agree on which blocks are malformed`(seed: UInt64) throws {
        var chance = SeededRandom(seed: seed)
        var mutation = Mutation(seed: seed)
        var malformed = 0
        for _ in 0..<60 {
            let (deflater, reader, reference) = (Deflater(), Reader(), ReferenceInflater())
            var known: [Field] = []
            for _ in 0..<30 {
                let fields = (0..<1 + chance.below(4)).map { _ in Self.field(&chance, known) }
                var block = deflater.write(fields, flags: fields.map { _ in 0 })
                if chance.below(4) == 0 { block = mutation.mutated(block) }
                known = fields + known
                let expected = reference.inflate(block)?.map { Field(name: $0.name, value: $0.value) }
                let found = reader.read(block)
                try #require(found == expected, "seed \(seed): \(block)")
                guard found != nil else {
                    malformed += 1
                    break
                }
            }
        }
        #expect(malformed > 0)
    }

    @Test func `the Huffman code of every byte is decoded, next to any other byte`() {
        let (deflater, reader) = (Deflater(), Reader())
        for first in 0..<256 {
            for second in [0, 0x30, 0x65, 0x7B, 0xFF, first] {
                // Enough short codes that nghttp2 does not send the value unencoded.
                let bytes = [UInt8](repeating: 0x65, count: 40) + [UInt8(first), UInt8(second), UInt8(first)]
                let value = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
                let latin = Field(name: "x", value: value)
                let block = deflater.write([latin], flags: [UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue)])
                #expect(reader.read(block) == [latin])
            }
        }
    }

    @Test(
        arguments: [
            // Padding of a whole byte, padding with zeros, EOS, and an incomplete code.
            [0x00, 0x81, 0x1F, 0x82, 0x1F, 0xFF], [0x00, 0x81, 0x18, 0x00],
            [0x00, 0x84, 0xFF, 0xFF, 0xFF, 0xFF, 0x00],
            [0x00, 0x81, 0xFE, 0x00],
            // Integers without an end, and integers that exceed any length.
            [0xFF, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80], [0x00, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F], [0xFF],
            // Index 0, an index without an entry, and sizes that are not allowed.
            [0x80], [0xBE], [0x7E, 0x01, 0x61], [0x3F, 0xE2, 0x1F], [0x88, 0x20],
        ] as [[UInt8]])
    func `a block that RFC 7541 forbids is reported as malformed`(block: [UInt8]) {
        #expect(Reader().read(block) == nil)
    }
}

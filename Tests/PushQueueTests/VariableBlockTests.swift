import PushModel
import PushQueue
import TestSupport
import Testing

@Suite struct VariableBlockTests {
    private static let values: [[UInt8]] = [
        Array(#"{"code":"7"}"#.utf8), [], Array(repeating: 0x61, count: 300), [0],
    ]

    @Test func `each entry keeps its value, also after encoding and decoding`() throws {
        let block = VariableBlock(Self.values)
        let read = try VariableBlock(decoding: block.bytes, count: 4)
        #expect(read == block && read.count == 4)
        #expect((0..<4).map { Array(read[$0]) } == Self.values)
        #expect(try VariableBlock(decoding: [], count: 0).count == 0)
    }

    @Test func `a removed entry is empty, and the other entries are unchanged`() {
        let block = VariableBlock(Self.values).emptied(at: [0, 2, 9])
        #expect((0..<4).map { Array(block[$0]) } == [[], [], [], [0]])
    }

    @Test(arguments: [
        ([], 1, PartDamage.Fault.truncated), ([3, 1, 2], 1, .truncated), ([1, 1, 1], 1, .trailing),
        ([0], -1, .tooMany), ([0], PartLimits.messages + 1, .tooMany), ([0x80, 0], 1, .number),
        ([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1], 1, .truncated),
    ])
    func `invalid bytes are reported as damage`(bytes: [UInt8], count: Int, fault: PartDamage.Fault) {
        let damage = #expect(throws: PartDamage.self) { try VariableBlock(decoding: bytes, count: count) }
        #expect(damage?.piece == .variables && damage?.fault == fault)
    }

    @Test func `any bytes are either read or refused`() {
        var random = SeededRandom(seed: 16)
        for _ in 0..<20_000 {
            let bytes = (0..<random.below(24)).map { _ in UInt8(random.below(random.one(in: 2) ? 8 : 256)) }
            let count = random.below(6)
            guard let block = try? VariableBlock(decoding: bytes, count: count) else { continue }
            #expect(VariableBlock((0..<count).map { Array(block[$0]) }).bytes == bytes)
        }
    }
}

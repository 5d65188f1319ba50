import Testing
import pushsink

@Suite struct BinaryDecoderTests {
    /// Returns a reading as text, for comparisons.
    private static func told(_ reading: BinaryReading) -> String {
        func text(_ bytes: Bytes?) -> String { bytes.map { FrameDraft.hex(Array($0)) } ?? "-" }
        switch reading {
        case .partial: return "partial"
        case .broken(let status, let frame): return "broken \(status.code) \(frame.identifier ?? 0)"
        case .whole(let frame, _):
            return [
                "\(frame.command)", text(frame.token), text(frame.payload), "\(frame.identifier ?? 0)",
                "\(frame.expiration ?? 0)", "\(frame.priority ?? 0)",
            ].joined(separator: " ")
        }
    }

    private static func readings(_ parts: [[UInt8]]) -> (told: [String], isBetween: Bool) {
        var decoder = BinaryDecoder()
        var all: [String] = []
        var isOpen = true
        for part in parts where isOpen {
            part.asBytes {
                decoder.feed($0) { reading in
                    all.append(told(reading))
                    if case .broken = reading { isOpen = false }
                    return true
                }
            }
        }
        return (all, decoder.isBetweenFrames)
    }

    private static let drafts = [
        FrameDraft(), FrameDraft(command: 0), FrameDraft(command: 1, identifier: 8),
        FrameDraft(identifier: nil, expiration: nil, priority: nil),
        FrameDraft(priority: 5, isReversed: true),
    ]

    @Test func `frames that are split at any position are decoded like complete frames`() {
        let stream = Self.drafts.flatMap(\.bytes)
        let whole = Self.readings([stream])
        #expect(whole.told.count == Self.drafts.count && whole.isBetween)
        for at in 1..<stream.count {
            let split = Self.readings([Array(stream[..<at]), Array(stream[at...])])
            #expect(split == whole, "split at \(at)")
        }
        #expect(Self.readings(stream.map { [$0] }) == whole)
    }

    @Test func `items can arrive in any order`() {
        let first = Self.readings([FrameDraft().bytes]).told
        let turned = FrameDraft(isReversed: true)
        #expect(Self.readings([turned.bytes]).told == first)
    }

    @Test(arguments: [
        [FrameDraft.item(9, [1])], [FrameDraft.item(3, [0, 0, 0, 1])],
        [FrameDraft.item(1, FrameDraft.token(2))],
        [[2, 0]], [[1, 255, 255, 0]],
    ])
    func `impossible items make a frame undecodable`(extra: [[UInt8]]) {
        let draft = FrameDraft().with { $0.extra = extra }
        #expect(Self.readings([draft.bytes]).told == ["broken 128 7"])
    }

    @Test func `an impossible length is rejected without waiting for more bytes`() {
        #expect(Self.readings([[2, 255, 255, 255, 255]]).told == ["broken 128 0"])
        #expect(Self.readings([[0, 255, 255]]).told == ["broken 5 0"])
        #expect(Self.readings([[77]]).told == ["broken 128 0"])
    }

    @Test func `noise is rejected or leads to a wait for more bytes, and is never read beyond its end`() {
        var numbers = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            var bytes = Self.drafts.randomElement(using: &numbers)?.bytes ?? []
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                bytes[Int.random(in: 0..<bytes.count, using: &numbers)] = .random(
                    in: 0...255, using: &numbers)
            }
            let cut = Int.random(in: 0...bytes.count, using: &numbers)
            let parts = [Array(bytes[..<cut]), Array(bytes[cut...])]
            #expect(Self.readings(parts).told == Self.readings([bytes]).told)
        }
    }
}

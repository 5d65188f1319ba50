import TestSupport
import Testing
import pushmta

struct TopKeyDecoderTests {
    private func keys(_ pieces: [UInt8]...) -> [TopKey] {
        var decoder = TopKeyDecoder()
        return pieces.flatMap { decoder.keys(in: $0) }
    }

    private func keys(_ text: String) -> [TopKey] { keys(Array(text.utf8)) }

    @Test func `letter keys are decoded`() {
        #expect(
            keys("kjgGp+-q") == [.up, .down, .home, .end, .pause, .longer, .shorter, .quit])
        #expect(keys("\u{0C}") == [.redraw])
    }

    @Test func `arrow keys are decoded in both terminal notations`() {
        #expect(keys("\u{1B}[A\u{1B}[B\u{1B}OA\u{1B}OB") == [.up, .down, .up, .down])
        #expect(
            keys("\u{1B}[H\u{1B}[F\u{1B}[1~\u{1B}[4~\u{1B}[7~\u{1B}[8~") == [
                .home, .end, .home, .end, .home, .end,
            ])
        // The sequences for keys that are pressed together with a modifier key.
        #expect(keys("\u{1B}[1;5B") == [.down])
    }

    @Test func `unknown keys are skipped and do not hide a known key after them`() {
        #expect(keys("xyz\tQP ß→\u{1B}[5~\u{1B}[Zp") == [.pause])
        #expect(keys("\u{1B}\u{1B}[A") == [.up])
        #expect(keys("\u{1B}xj") == [.down])
        #expect(keys("\u{1B}[12\u{1B}[B") == [.down])
    }

    @Test func `the bytes of a key sequence can arrive in pieces`() {
        #expect(keys([0x1B], Array("[".utf8), Array("A".utf8), Array("q".utf8)) == [.up, .quit])
    }

    @Test func `an unterminated key sequence consumes few bytes`() {
        #expect(keys("\u{1B}[" + String(repeating: "1", count: 100) + "p") == [.pause])
    }

    @Test func `the decoder accepts any bytes and recognises q after them`() {
        var random = SeededRandom(seed: 7)
        for _ in 0..<200 {
            var decoder = TopKeyDecoder()
            _ = decoder.keys(in: (0..<50).map { _ in UInt8(random.below(256)) })
            // The first "q" may belong to a sequence that had begun.
            let last = decoder.keys(in: Array(String(repeating: "1", count: 40).utf8) + Array("qq".utf8))
            #expect(last.contains(.quit))
        }
    }
}

/// SplitMix64: a seed yields the same test on every machine, so that a failing test can be repeated.
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    package mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    package mutating func one(in number: Int) -> Bool { below(number) == 0 }

    /// Returns a text of up to `most` characters from every class that is relevant to JSON.
    package mutating func text(atMost most: Int) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...most, using: &self) {
            let scalar: UInt32 =
                switch below(6) {
                case 0: .random(in: 1..<0x20, using: &self)
                case 1: [0x22, 0x5C, 0x2F, 0x7F, 0x2028, 0x2029].randomElement(using: &self) ?? 0x22
                case 2: .random(in: 0x1F300..<0x1F650, using: &self)
                case 3: .random(in: 0xA0..<0xD800, using: &self)
                default: .random(in: 0x20..<0x7B, using: &self)
                }
            if let scalar = Unicode.Scalar(scalar) { text.unicodeScalars.append(scalar) }
        }
        return text
    }
}

/// Synthetic subscribers. They are identical for the same seed, so that a scenario can be repeated.
package struct SyntheticSubscribers: Sendable {
    package var count: Int
    package var seed: UInt64
    /// Hexadecimal token prefixes for rules of the gateway. The first `perPrefix` subscribers have the first
    /// prefix, and so on. If there are prefixes, the tokens of all other subscribers begin with `0`.
    package var prefixes: [String]
    package var perPrefix: Int
    /// Whether tokens look like Firebase tokens. The hexadecimal digits come first.
    package var isAndroid = false
    /// Whether the subscribers have parameters: `city`, `points` and, except for every tenth subscriber,
    /// `firstName`.
    package var hasParameters = false

    package init(
        _ count: Int, seed: UInt64 = 1, prefixes: [String] = [], perPrefix: Int = 0, isAndroid: Bool = false
    ) {
        (self.count, self.seed, self.isAndroid) = (count, seed, isAndroid)
        (self.prefixes, self.perPrefix) = (prefixes, perPrefix)
    }

    /// Returns 64 lower-case hexadecimal digits, followed by further characters for Android.
    package func token(_ index: Int) -> String {
        var bytes: [UInt8] = []
        append(token: index, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns one of every `gap` tokens, evenly distributed over the order of an import and therefore of a
    /// delivery.
    package func oneInEvery(_ gap: Int) -> [String] {
        let sorted = (0..<count).map(token).sorted()
        return stride(from: gap - 1, to: count, by: gap).map { sorted[$0] }
    }

    package func userKey(_ index: Int) -> String { "user-\(index + 1)" }

    /// Returns the target of a delivery document: the first `count` subscribers.
    func target(ofFirst count: Int) -> String {
        let keys = (0..<count).map { "\"\(userKey($0))\"" }
        return #"{"userKeys": [\#(keys.joined(separator: ", "))]}"#
    }

    /// Writes a file for `subscribers import`.
    package func writeCSV(to path: String) throws(LoadError) {
        try Folder.write(to: path) { append throws(LoadError) in
            var bytes = Array(
                "registrationToken,userKey\(hasParameters ? ",firstName,city,points" : "")\n".utf8)
            for index in 0..<count {
                self.append(token: index, to: &bytes)
                bytes += ",\(userKey(index))\(hasParameters ? parameters(index) : "")\n".utf8
                guard bytes.count >= 1 << 20 else { continue }
                try append(bytes)
                bytes.removeAll(keepingCapacity: true)
            }
            try append(bytes)
        }
    }

    private func parameters(_ index: Int) -> String {
        ",\(index % 10 == 9 ? "" : "Zoë \(index)"),\(["London", "Paris", "München"][index % 3]),\(index * 7)"
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private func append(token index: Int, to bytes: inout [UInt8]) {
        let start = bytes.count
        for word in 0..<4 {
            var chance = SplitMix64(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(index) &* 4 &+ UInt64(word))
            var bits = chance.next()
            for _ in 0..<16 {
                bytes.append(Self.digits[Int(bits & 15)])
                bits >>= 4
            }
        }
        if isAndroid { bytes += ":APA91b-\(index)_synthetic".utf8 }
        guard !prefixes.isEmpty else { return }
        let group = perPrefix > 0 ? index / perPrefix : prefixes.count
        let prefix = group < prefixes.count ? prefixes[group] : "0"
        for (offset, digit) in prefix.utf8.prefix(64).enumerated() { bytes[start + offset] = digit }
    }
}

/// A scenario in which the gateways report some of the devices as dead.
package protocol HasDeadDevices {
    var seed: Seed { get }
    /// The number of devices of each app.
    var devices: Int { get }
    /// One in this many devices has a dead token.
    var deadOneIn: Int { get }
}

extension HasDeadDevices {
    /// Returns the subscribers of an app. Each app has different devices.
    package func subscribers(of platform: Testbed.Platform) -> SyntheticSubscribers {
        let number = UInt64(Testbed.Platform.allCases.firstIndex(of: platform) ?? 0)
        return SyntheticSubscribers(
            devices, seed: seed.number &* 8 &+ number, isAndroid: platform == .android)
    }

    package func dead(of platform: Testbed.Platform) -> [String] {
        subscribers(of: platform).oneInEvery(deadOneIn)
    }

    /// Returns the rules that make a gateway report each of the app's dead devices as dead.
    func rulesOfDead(of platform: Testbed.Platform) -> String {
        let verdict =
            switch platform {
            case .ios: "status 410 Unregistered"
            case .android: "fcm UNREGISTERED"
            case .iosBinary: "invalid-token delay 2"
            }
        return dead(of: platform).map { "\($0) \(verdict)\n" }.joined()
    }
}

/// A repeatable random number generator: the same seed produces the same numbers (SplitMix64).
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// Creates a generator whose numbers differ for each `number` and `purpose`.
    init(seed: UInt64, of number: Int, for purpose: Int = 0) {
        state =
            seed &* 0xD1B5_4A32_D192_ED03 &+ UInt64(number) &* 0x8CB9_2BA7_2F3D_8DD7
            &+ UInt64(purpose) &* 0xAEF1_7502_108E_F2D9
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    package mutating func happens(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    /// Returns a number from 0 up to, but not including, `bound`.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }

    mutating func one<Element>(of all: [Element]) -> Element { all[below(all.count)] }
}

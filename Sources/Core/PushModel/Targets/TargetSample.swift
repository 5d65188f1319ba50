/// A share of all subscriptions. The same subscriptions are in the share for every query.
///
/// Each subscription has a place from 0 to 999 999, which depends only on its number and the seed. A sample
/// contains ``share`` places, beginning with ``from``. Samples with the same seed and disjoint ranges of
/// places therefore have no subscription in common. If the ranges together cover all places, the samples
/// together cover all subscriptions. Places of different seeds are independent of each other.
///
/// **Guarantee.** The computation of places never changes, so that existing groups stay the same.
package struct TargetSample: Equatable, Sendable, Codable {
    /// The number of places into which all subscriptions are divided.
    package static let places = 1_000_000

    /// The number of places in the sample, at least 1.
    package let share: Int
    /// The first place of the sample.
    package let from: Int
    package let seed: Int64

    package static let seeds: ClosedRange<Int64> = 0...(1 << 53 - 1)

    /// `nil` if the sample would extend beyond the last place, be empty, or have a seed outside ``seeds``.
    package init?(share: Int, from: Int = 0, seed: Int64 = 0) {
        guard (1...Self.places).contains(share), (0..<Self.places).contains(from),
            share <= Self.places - from, Self.seeds.contains(seed)
        else { return nil }
        self.share = share
        self.from = from
        self.seed = seed
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let sample = TargetSample(
            share: try values.decode(Int.self, forKey: .share),
            from: try values.decode(Int.self, forKey: .from),
            seed: try values.decode(Int64.self, forKey: .seed))
        guard let sample else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "not a sample"))
        }
        self = sample
    }

    private enum CodingKeys: CodingKey { case share, from, seed }

    package func contains(_ subscription: SubscriptionID) -> Bool {
        let place = Self.place(of: subscription, seed: seed)
        return place >= from && place - from < share
    }

    /// Returns a place from 0 to 999 999. All places are equally likely.
    package static func place(of subscription: SubscriptionID, seed: Int64) -> Int {
        let key = mixed(UInt64(bitPattern: seed) &+ 0x9E37_79B9_7F4A_7C15)
        let word = mixed(mixed(UInt64(bitPattern: subscription.rawValue) &+ key) ^ key)
        return Int(word.multipliedFullWidth(by: UInt64(places)).high)
    }

    /// The final step of SplitMix64 (Steele, Lea, Flood 2014): each bit of the result depends on all bits of
    /// the input.
    private static func mixed(_ word: UInt64) -> UInt64 {
        var word = word
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}

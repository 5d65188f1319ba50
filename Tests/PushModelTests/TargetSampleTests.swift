import Foundation
import PushModel
import Testing

@Suite struct TargetSampleTests {
    /// The ids of an app's first subscriptions.
    private static let subscriptions = (1...12_000).map { SubscriptionID(rawValue: 3 << 40 | $0) }

    /// Another program calculated these values separately: groups that have been formed must not change.
    @Test(
        arguments: [
            (0, 1, 10_535),
            (0, 2, 415_489),
            (0, 1_099_511_627_777, 411_417),
            (0, 5_497_558_262_336, 237_707),
            (7, 1, 249_140),
            (7, 2, 523_484),
            (7, 1_099_511_627_777, 394_568),
            (7, 5_497_558_262_336, 387_814),
            (9_007_199_254_740_991, 1, 204_161),
            (9_007_199_254_740_991, 2, 36_649),
            (9_007_199_254_740_991, 1_099_511_627_777, 879_142),
            (9_007_199_254_740_991, 5_497_558_262_336, 803_570),
        ] as [(Int64, Int64, Int)])
    func `the position of a subscription in the sample never changes`(
        seed: Int64, subscription: Int64, place: Int
    ) {
        #expect(TargetSample.place(of: SubscriptionID(rawValue: subscription), seed: seed) == place)
    }

    @Test(arguments: [0, 7, TargetSample.seeds.upperBound] as [Int64])
    func `adjacent samples with the same seed do not overlap, and together cover every subscription`(
        seed: Int64
    ) throws {
        let bounds = [0, 1, 100_000, 333_333, 333_334, 999_999, TargetSample.places]
        let samples = try zip(bounds, bounds.dropFirst()).map {
            try #require(TargetSample(share: $1 - $0, from: $0, seed: seed))
        }
        for subscription in Self.subscriptions {
            #expect(samples.count { $0.contains(subscription) } == 1)
        }
        let all = try #require(TargetSample(share: TargetSample.places, seed: seed))
        #expect(Self.subscriptions.allSatisfy(all.contains))
    }

    @Test func `a sample contains about its share of the subscriptions, and different seeds are independent`()
        throws
    {
        func members(_ share: Int, from: Int = 0, seed: Int64) throws -> Set<SubscriptionID> {
            let sample = try #require(TargetSample(share: share, from: from, seed: seed))
            return Set(Self.subscriptions.filter(sample.contains))
        }
        for seed in [0, 1, 7] as [Int64] {
            #expect((1_050...1_350).contains(try members(100_000, seed: seed).count))
            #expect((1_050...1_350).contains(try members(100_000, from: 450_000, seed: seed).count))
        }
        let (one, other) = (try members(500_000, seed: 1), try members(500_000, seed: 2))
        #expect((2_750...3_250).contains(one.intersection(other).count))
    }

    @Test func `an impossible sample is refused`() {
        let places = TargetSample.places
        #expect(TargetSample(share: 0) == nil && TargetSample(share: -1) == nil)
        #expect(TargetSample(share: places + 1) == nil && TargetSample(share: .max, from: 1) == nil)
        #expect(TargetSample(share: 1, from: places) == nil && TargetSample(share: 1, from: -1) == nil)
        #expect(
            TargetSample(share: 2, from: places - 1) == nil && TargetSample(share: 1, from: places - 1) != nil
        )
        #expect(TargetSample(share: 1, seed: -1) == nil && TargetSample(share: 1, seed: 1 << 53) == nil)
    }

    @Test func `a sample is unchanged after it is stored and read, and a damaged sample is an error`() throws
    {
        let sample = try #require(TargetSample(share: 100_000, from: 900_000, seed: 7))
        #expect(try JSONDecoder().decode(TargetSample.self, from: JSONEncoder().encode(sample)) == sample)
        for damaged in [
            "{}", #"{"share":0,"from":0,"seed":0}"#, #"{"share":1,"from":1000000,"seed":0}"#,
            #"{"share":9223372036854775807,"from":1,"seed":0}"#, #"{"share":1,"from":0,"seed":-1}"#,
        ] {
            #expect(throws: (any Error).self) {
                try JSONDecoder().decode(TargetSample.self, from: Data(damaged.utf8))
            }
        }
    }
}

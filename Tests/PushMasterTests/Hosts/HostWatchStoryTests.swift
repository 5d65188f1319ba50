import Testing

/// Several hosts join, leave and fall silent at random. Together they must never send more than the whole
/// quota, and a host that renews its row must never be treated as lost.
@Suite struct HostWatchStoryTests {
    @Test(arguments: UInt64(1)...40)
    func `the hosts' shares never exceed the quota, and no reporting host is treated as lost`(seed: UInt64) {
        var story = SharingStory(seed: seed)
        story.run(milliseconds: 900_000, calm: 180_000)
        #expect(story.excesses == [])
        #expect(story.wrongEnds == [])
        #expect(story.begun > 1 && story.left > 1, "nothing happened")
        // When all is quiet, all hosts send and the whole quota is used.
        #expect(abs(story.sum - 1) < 0.000_001, "\(story.sum)")
    }

    @Test func `hosts begin and are treated as lost often in these simulations`() {
        var (begun, ended) = (0, 0)
        for seed in UInt64(1)...40 {
            var story = SharingStory(seed: seed)
            story.run(milliseconds: 900_000, calm: 0)
            begun += story.begun
            ended += story.ended
        }
        #expect(begun > 200 && ended > 40, "\(begun) began, \(ended) were ended")
    }

    /// If a host is faulty, the checks detect the fault in at least one of forty simulations.
    @Test(arguments: SharingStory.Fault.allCases)
    func `the checks of the simulation detect injected faults`(fault: SharingStory.Fault) {
        var (excesses, wrongEnds) = (0, 0)
        for seed in UInt64(1)...40 {
            var story = SharingStory(seed: seed, fault)
            story.run(milliseconds: 900_000, calm: 0)
            excesses += story.excesses.count
            wrongEnds += story.wrongEnds.count
            if excesses > 0 && wrongEnds > 0 { break }
        }
        switch fault {
        case .beginsAtOnce, .trustsOldWords: #expect(excesses > 0)
        case .forgetsOutages: #expect(wrongEnds > 0)
        }
    }
}

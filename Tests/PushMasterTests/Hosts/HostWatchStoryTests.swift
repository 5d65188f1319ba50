import Testing

/// Several hosts join, leave and fall silent at random: at no moment may more than all of a quota be sent,
/// and nobody is ended who speaks.
@Suite struct HostWatchStoryTests {
    @Test(arguments: UInt64(1)...40)
    func `hosts never share out more than there is, and whoever speaks is not ended`(seed: UInt64) {
        var story = SharingStory(seed: seed)
        story.run(milliseconds: 900_000, calm: 180_000)
        #expect(story.excesses == [])
        #expect(story.wrongEnds == [])
        #expect(story.begun > 1 && story.left > 1, "nothing happened")
        // When all is quiet, all send, and all of a quota is used.
        #expect(abs(story.sum - 1) < 0.000_001, "\(story.sum)")
    }

    @Test func `in these stories hosts begin, and are ended, often`() {
        var (begun, ended) = (0, 0)
        for seed in UInt64(1)...40 {
            var story = SharingStory(seed: seed)
            story.run(milliseconds: 900_000, calm: 0)
            begun += story.begun
            ended += story.ended
        }
        #expect(begun > 200 && ended > 40, "\(begun) began, \(ended) were ended")
    }

    /// Of forty stories with a host that does something wrong at least one tells of it.
    @Test(arguments: SharingStory.Fault.allCases)
    func `the judge is not blind`(fault: SharingStory.Fault) {
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

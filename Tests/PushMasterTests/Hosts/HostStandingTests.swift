import PushMaster
import Testing

@Suite struct HostStandingTests {
    @Test func `of a store in a file whoever serves it leads, whatever is said`() {
        let standing = HostStanding(isShared: false)
        #expect(standing.leads && standing.others == 0)
        standing.follow()
        #expect(standing.leads)
    }

    @Test func `one of several leads when it is told, and until it has lost its place`() {
        let standing = HostStanding(isShared: true)
        #expect(!standing.leads)
        standing.lead()
        #expect(standing.leads)
        standing.follow()
        #expect(!standing.leads)
    }

    @Test func `what is said of a host is what it was told last, also where the store's clock was set back`()
    {
        let standing = HostStanding(isShared: true)
        standing.note(others: 2)
        standing.note(shares: 3)
        standing.note(obeyed: 70)
        #expect(standing.others == 2)
        #expect(standing.figures.shares == 3 && standing.figures.obeyedMilliseconds == 70)
        standing.note(obeyed: 50)
        standing.note(shares: 2)
        #expect(standing.figures.shares == 2 && standing.figures.obeyedMilliseconds == 50)
    }
}

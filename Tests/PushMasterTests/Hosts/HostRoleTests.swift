import PushMaster
import Testing

@Suite struct HostRoleTests {
    @Test func `if the store is a file, the host that serves it always leads`() {
        let role = HostRole(isShared: false)
        #expect(role.leads && role.others == 0)
        role.follow()
        #expect(role.leads)
    }

    @Test func `one of several hosts leads from the order to lead until it loses its place`() {
        let role = HostRole(isShared: true)
        #expect(!role.leads)
        role.lead()
        #expect(role.leads)
        role.follow()
        #expect(!role.leads)
    }

    @Test func `the latest figures that a host recorded count, even if the store's clock was set back`() {
        let role = HostRole(isShared: true)
        role.note(others: 2)
        role.note(shares: 3)
        role.note(obeyed: 70)
        #expect(role.others == 2)
        #expect(role.figures.shares == 3 && role.figures.obeyedMilliseconds == 70)
        role.note(obeyed: 50)
        role.note(shares: 2)
        #expect(role.figures.shares == 2 && role.figures.obeyedMilliseconds == 50)
    }
}

import PushWeb
import PushWire
import Testing

@Suite struct ReadinessTests {
    private static func master(_ state: String, alarms: [MasterStatus.Alarm] = []) -> MasterStatus {
        MasterStatus(
            pid: 7, uptimeSeconds: 1, state: state, unrecorded: 0, waitingRanges: 0, alarms: alarms,
            children: [],
            accounts: [])
    }

    @Test func `a master that runs is ready`() {
        let readiness = Readiness(of: Self.master("running"), trouble: nil)
        #expect(readiness.isReady && readiness.text == "ready\n")
    }

    @Test func `one that starts says what it waits for`() {
        var master = Self.master("starting")
        #expect(Readiness(of: master, trouble: nil).text == "starting\n")
        master.waitsFor = "children of an earlier master to end"
        #expect(
            Readiness(of: master, trouble: nil).reasons == [
                "starting: it waits for children of an earlier master to end"
            ])
    }

    @Test func `one that drains is not ready`() {
        #expect(Readiness(of: Self.master("draining"), trouble: nil).reasons == ["draining"])
    }

    @Test func `without a master it is not ready`() {
        #expect(Readiness(of: nil, trouble: nil).reasons.count == 1)
        #expect(Readiness(of: nil, trouble: "no socket").reasons == ["it cannot be told: no socket"])
    }

    @Test(arguments: ["store", "account", "children", "part"])
    func `an alarm by which nothing comes of work is a reason, with its cause`(kind: String) {
        let alarm = MasterStatus.Alarm(kind: kind, about: "neotrips", cause: "nobody answers", seconds: 70)
        let readiness = Readiness(of: Self.master("running", alarms: [alarm]), trouble: nil)
        #expect(readiness.reasons == ["alarm \(kind) neotrips: nobody answers"])
    }

    @Test(arguments: ["clock", "delivery"])
    func `another alarm is a line, and leaves it ready`(kind: String) {
        let alarm = MasterStatus.Alarm(kind: kind, cause: "it jumped", seconds: 0)
        let readiness = Readiness(of: Self.master("running", alarms: [alarm]), trouble: nil)
        #expect(readiness.isReady && readiness.text == "ready\nalarm \(kind): it jumped\n")
    }

    @Test func `several reasons are several lines, and a cause with line breaks is one`() {
        let alarms = ["store", "account"].map { MasterStatus.Alarm(kind: $0, cause: "a\nb", seconds: 0) }
        let readiness = Readiness(of: Self.master("draining", alarms: alarms), trouble: nil)
        #expect(readiness.text.split(separator: "\n").count == 3)
    }

    @Test func `a master that has not answered for long is not ready`() {
        var master = Self.master("running")
        master.ageSeconds = 11
        #expect(!Readiness(of: master, trouble: nil).isReady)
    }
}

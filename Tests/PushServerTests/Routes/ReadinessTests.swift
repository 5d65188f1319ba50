import PushServer
import PushWire
import Testing

@Suite struct ReadinessTests {
    private static let own = Readiness.Process(hasMaster: true, takesRegistrations: true)
    private static let alone = Readiness.Process(hasMaster: false, takesRegistrations: true)

    private static func master(_ state: String, alarms: [MasterStatus.Alarm] = []) -> MasterStatus {
        MasterStatus(
            pid: 7, uptimeSeconds: 1, state: state, unrecorded: 0, waitingRanges: 0, alarms: alarms,
            children: [],
            accounts: [])
    }

    @Test func `a process whose master is running is ready`() {
        let readiness = Readiness(Self.own, master: Self.master("running"), failure: nil)
        #expect(readiness.isReady && readiness.text == "ready\n")
    }

    @Test func `a starting master that accepts nothing yet is not ready, and reports what it is waiting for`()
    {
        let process = Readiness.Process(hasMaster: true, takesRegistrations: false)
        var master = Self.master("starting")
        #expect(Readiness(process, master: master, failure: nil).text == "starting\n")
        master.waitsFor = "children of an earlier master to end"
        #expect(
            Readiness(process, master: master, failure: nil).reasons == [
                "starting: it waits for children of an earlier master to end"
            ])
        // A running master accepts registrations a moment later.
        #expect(!Readiness(process, master: Self.master("running"), failure: nil).isReady)
    }

    @Test func `a standby host that serves devices is ready`() {
        var master = Self.master("starting")
        master.waitsFor = "another host"
        let readiness = Readiness(Self.own, master: master, failure: nil)
        #expect(readiness.text == "ready\nstarting: it waits for another host\n")
    }

    @Test func `a draining master is not ready, but another process on the same store is`() {
        let master = Self.master("draining")
        #expect(Readiness(Self.own, master: master, failure: nil).reasons == ["draining"])
        #expect(Readiness(Self.alone, master: master, failure: nil).text == "ready\ndraining\n")
    }

    @Test func `a process whose master is gone is not ready, and a process that never had a master is ready`()
    {
        #expect(Readiness(Self.own, master: nil, failure: nil).reasons.count == 1)
        #expect(
            Readiness(Self.own, master: nil, failure: "no socket").reasons == [
                "the master does not answer: no socket; check its log, or restart it"
            ])
        let alone = Readiness(Self.alone, master: nil, failure: nil)
        #expect(alone.isReady && alone.notes.first?.contains("no master runs") == true)
        #expect(Readiness(Self.alone, master: nil, failure: "no socket").isReady)
    }

    @Test(arguments: [true, false]) func `a process is not ready if it cannot write to the store`(
        hasMaster: Bool
    ) {
        var process = Readiness.Process(hasMaster: hasMaster, takesRegistrations: true)
        let alarm = MasterStatus.Alarm(kind: "store", cause: "the disk is full", seconds: 70)
        let master = Self.master("running", alarms: [alarm])
        #expect(
            Readiness(process, master: master, failure: nil).reasons == ["alarm store: the disk is full"])
        process.storeFailure = "the disk is full"
        #expect(
            Readiness(process, master: Self.master("running"), failure: nil).reasons == [
                "the store: the disk is full"
            ])
    }

    @Test(arguments: MasterStatus.Alarm.kinds.filter { $0 != "store" })
    func `any other alarm adds a line to the answer and leaves the process ready`(kind: String) {
        let alarm = MasterStatus.Alarm(kind: kind, about: "neotrips", cause: "no answer", seconds: 0)
        let readiness = Readiness(Self.own, master: Self.master("running", alarms: [alarm]), failure: nil)
        #expect(readiness.isReady && readiness.text == "ready\nalarm \(kind) neotrips: no answer\n")
    }

    @Test func `each reason takes one line, even if its cause contains line breaks`() {
        let alarms = ["store", "account"].map { MasterStatus.Alarm(kind: $0, cause: "a\nb", seconds: 0) }
        let readiness = Readiness(Self.own, master: Self.master("draining", alarms: alarms), failure: nil)
        #expect(readiness.text.split(separator: "\n").count == 3)
        #expect(readiness.reasons.count == 2)
    }

    @Test func `a master that has not answered for a long time is not ready`() {
        var master = Self.master("running")
        master.ageSeconds = 11
        #expect(!Readiness(Self.own, master: master, failure: nil).isReady)
    }
}

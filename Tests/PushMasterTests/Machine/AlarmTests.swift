import PushConfig
import PushMaster
import PushModel
import PushSchedule
import PushStore
import PushWire
import TestSupport
import Testing

/// Tests that due work without progress raises an alarm with its cause, and so does anything that requires an
/// operator.
struct AlarmTests {
    @Test func `due work raises an alarm if it has no child because no process can be started`() {
        var master = AlarmedMaster()
        master.spawns = false
        master.findWork()
        master.pass(seconds: 59)
        #expect(master.alarms(of: "account").isEmpty)
        master.pass(seconds: 5)
        #expect(master.cause(of: "account").contains("no child process is working: no processes"))
        #expect(master.cause(of: "children").contains("no processes"))
        #expect(master.logged.contains { $0.contains("account 1 is stalled") })
    }

    @Test func `an account raises an alarm while a storm stops it until an operator decides`() {
        var master = AlarmedMaster()
        master.findWork()
        let mark = AccountKey(rawValue: "account 1")
        master.process(
            .threadEvent(.storm(mark, AccountAnswers(account: mark, accepted: 1, aboutTokens: 500))))
        master.pass(seconds: 65)
        #expect(master.cause(of: "account").contains("stopped until an operator decides"))
        master.process(.threadEvent(.storms([])))
        master.answerAll()
        #expect(master.alarms.isEmpty)
    }

    @Test func `an account whose gateway cannot be reached raises an alarm`() {
        var master = AlarmedMaster()
        master.findWork()
        master.refuse()
        master.pass(seconds: 65)
        #expect(
            master.cause(of: "account").contains(
                "it waits, and is tried again at intervals: the gateway refuses"))
    }

    @Test func `the alarm of an account that was replaced ends with a line in the log`() {
        var master = AlarmedMaster()
        master.spawns = false
        master.findWork()
        master.pass(seconds: 65)
        #expect(!master.alarms(of: "account").isEmpty)
        master.replaceAccount()
        #expect(master.alarms(of: "account").isEmpty)
        #expect(master.logged.contains { $0.contains("account 1 is no longer stalled: no app uses it") })
    }

    @Test func `an alarm and the log explain the gateway's answer and name the page that describes it`() {
        var master = AlarmedMaster()
        master.findWork()
        master.refuse(reason: "InvalidProviderToken")
        master.pass(seconds: 65)
        let cause = master.cause(of: "account")
        #expect(cause.contains("at intervals: InvalidProviderToken. APNs cannot verify the provider token"))
        let link = "See Docs/Reference/GatewayAnswers.md#apns-invalidprovidertoken"
        #expect(cause.hasSuffix(link), "\(cause)")
        #expect(master.logged.contains { $0.contains(" is held back") && $0.hasSuffix(link) })
        #expect(master.logged.contains { $0.contains(" is stalled") && $0.hasSuffix(link) })

        var topic = AlarmedMaster()
        topic.findWork()
        topic.refuse(topic: "com.example", reason: "TopicDisallowed")
        topic.hasRetries = true
        topic.pass(seconds: 1_500)
        #expect(topic.cause(of: "topic").hasSuffix("GatewayAnswers.md#apns-topicdisallowed"))
        #expect(topic.logged.contains { $0.contains("refuses topic com.example") && $0.contains("#apns-") })
    }

    @Test func `an account with more due messages than its quota allows raises an alarm`() {
        var master = AlarmedMaster(quota: TokenBucket(messagesPerMinute: 1, rampUpSeconds: 0))
        master.findWork()
        master.pass(seconds: 65)
        #expect(master.alarms(of: "account").isEmpty, "a minute is too short for one message a minute")
        master.pass(seconds: 200)
        #expect(master.cause(of: "account").contains("quota allows 1 messages a minute"))
    }

    @Test func `a store thread raises an alarm if it does not return, or reports that it cannot write`() {
        var master = AlarmedMaster()
        master.isStoreSilent = true
        master.pass(seconds: 65)
        #expect(master.cause(of: "store").contains("has not returned from a call"))

        var full = AlarmedMaster()
        full.process(.threadEvent(.storeFailure("no space is left on /var")))
        #expect(full.cause(of: "store").contains("no space is left on /var"))
        full.process(.threadEvent(.storeRecovered))
        #expect(full.alarms.isEmpty)
    }

    @Test func `a store that is not polled for changes from other processes raises an alarm`() {
        var master = AlarmedMaster()
        master.pass(seconds: 300)
        #expect(master.alarms.isEmpty)
        master.isPolled = false
        // The polling period is 30 s, with a further minute allowed.
        master.pass(seconds: 90)
        #expect(master.alarms.isEmpty)
        master.pass(seconds: 100)
        #expect(master.cause(of: "store").contains("has not been polled for 19"))
        #expect(master.logged.count { $0.contains("has not been polled for") } == 1)
        master.isPolled = true
        master.pass(seconds: 1)
        #expect(master.alarms.isEmpty)
    }

    @Test func `a store commit that does not return raises an alarm within ten seconds`() {
        var master = AlarmedMaster()
        master.pass(seconds: 3)
        master.isStoreSilent = true
        master.pass(seconds: 5)
        #expect(master.alarms.isEmpty)
        master.pass(seconds: 4)
        #expect(master.cause(of: "store").contains("the store's writer has not returned from a call"))
        #expect(master.logged.count { $0.contains("the engine is stalled") } == 1)
        master.process(.threadEvent(.turned(.writer)))
        #expect(master.alarms.isEmpty)
    }

    @Test func `a lease renewal that does not return raises an alarm within ten seconds`() {
        var master = AlarmedMaster()
        let end = MonotonicTime(nanoseconds: 1_000_000_000_000)
        for _ in 0..<30 {
            master.process(.threadEvent(.leaseRenewed(until: end)))
            master.pass(seconds: 1)
        }
        #expect(master.alarms.isEmpty)
        master.pass(seconds: 9)
        #expect(master.cause(of: "store").contains("lease has not been renewed for"))
        #expect(master.logged.count { $0.contains("the engine is stalled") } == 1)
        master.process(.threadEvent(.leaseRenewed(until: end)))
        #expect(master.alarms.isEmpty)
        #expect(master.logged.contains { $0.contains("the lease is being renewed again") })
    }

    @Test func `another host that has not renewed its lease in time raises an alarm`() {
        var master = AlarmedMaster()
        let late = LateHost(session: "s", name: "mta-2", seconds: 6, takeOverSeconds: 20)
        master.process(.threadEvent(.leaseRenewed(until: MonotonicTime(nanoseconds: 1_000_000_000_000))))
        master.process(.threadEvent(.hosts(live: 2, asOf: 1, late: [late])))
        #expect(master.cause(of: "host").contains("has not renewed its lease for 6 s"))
        #expect(master.alarms(of: "host").first?.about == "mta-2")
        master.process(.threadEvent(.hosts(live: 2, asOf: 2)))
        #expect(master.alarms.isEmpty)
    }

    @Test func `a clock jump raises an alarm, and nothing expires for a while`() {
        var master = AlarmedMaster()
        master.pass(seconds: 2)
        master.wallOffset += 7_200
        master.pass(seconds: 2)
        #expect(master.cause(of: "clock").contains("the wall clock jumped"))
        master.pass(seconds: Int(ClockWatch.graceSeconds) + 2)
        #expect(master.alarms.isEmpty)
    }

    @Test func `a damaged delivery and unaddressable messages raise alarms for an operator`() {
        var master = AlarmedMaster()
        master.process(.threadEvent(.damaged(DeliveryID(rawValue: 7), why: "its part is torn")))
        master.process(.threadEvent(.unaddressable(PartID(rawValue: 3), why: "app 1 has no credential")))
        #expect(master.cause(of: "delivery").contains("recount 7"))
        #expect(master.cause(of: "part").contains("app 1 has no credential"))
        master.process(.threadEvent(.released([DeliveryID(rawValue: 7)])))
        master.pass(seconds: 200)
        #expect(master.alarms.isEmpty)
    }

    @Test func `a nearly full disk raises an alarm in advance, until there is clearly more space`() {
        var master = AlarmedMaster()
        func disk(_ folder: String, free: Int, isStore: Bool = true) -> DiskSpace {
            DiskSpace(
                folder: folder, contents: isStore ? ["the store", "the log"] : ["the delivery log"],
                holdsStore: isStore, freeBytes: free, totalBytes: 10_000_000_000)
        }
        master.process(
            .threadEvent(.disks([disk("/var", free: 500_000_000), disk("/log", free: 9_000_000_000)])))
        #expect(master.alarms.isEmpty)
        master.process(
            .threadEvent(.disks([disk("/var", free: 499_999_999), disk("/log", free: 1, isStore: false)])))
        master.pass(seconds: 5)
        #expect(master.alarms(of: "disk").map(\.about) == ["/log", "/var"])
        #expect(master.alarms(of: "disk").allSatisfy { $0.seconds == 5 })
        #expect(
            master.alarms(of: "disk")[0].cause.contains(
                "left for the delivery log; if the disk is full, what"))
        #expect(
            master.alarms(of: "disk")[1].cause
                == "500.0 MB of 10.0 GB are left for the store and the log; if the disk is full, nothing is "
                + "recorded and nothing is sent: delete other files, or enlarge the disk; 'pushmta purge' frees no "
                + "space on the disk, only space in the store for new data")
        #expect(master.logged.count { $0.contains("the disk of /var is nearly full: ") } == 1)
        // A value near the threshold neither ends the alarm nor raises another alarm.
        master.process(.threadEvent(.disks([disk("/var", free: 600_000_000)])))
        #expect(master.alarms(of: "disk").map(\.about) == ["/var"])
        master.process(.threadEvent(.disks([disk("/var", free: 625_000_000)])))
        #expect(master.alarms.isEmpty)
        #expect(master.logged.count { $0.contains("is no longer nearly full") } == 2)
    }

    @Test
    func `a removed key file raises an alarm, and the process continues with the key that is in memory`() {
        var master = AlarmedMaster()
        master.keyFailure = "the instance key /k is missing"
        master.pass(seconds: 5)
        let cause = master.cause(of: "key")
        #expect(cause.hasPrefix("the instance key /k is missing; do this before this process ends"))
        #expect(master.logged.contains(cause))
        #expect(master.alarms(of: "key").first?.seconds == 4)
        master.keyFailure = nil
        master.pass(seconds: 1)
        #expect(master.alarms(of: "key").isEmpty)
    }

    @Test func `a refused topic raises an alarm and stays in status while retries wait in the store`() {
        var master = AlarmedMaster()
        master.findWork()
        master.refuse(topic: "com.example")
        master.hasRetries = true
        master.pass(seconds: 1_500)
        #expect(master.cause(of: "topic").contains("because the gateway refuses it: the gateway refuses"))
    }

    @Test func `work that an operator has paused raises no alarm`() {
        var master = AlarmedMaster()
        master.process(.threadEvent(.deliveryPaused(DeliveryID(rawValue: 1))))
        master.findWork()
        master.pass(seconds: 120)
        #expect(master.alarms.isEmpty)
        master.spawns = false
        master.process(.threadEvent(.deliveryResumed(DeliveryID(rawValue: 1))))
        master.findWork()
        master.pass(seconds: 65)
        #expect(!master.alarms(of: "account").isEmpty)
    }

    @Test func `work that progresses raises no alarm, and neither does an orderly end`() {
        var master = AlarmedMaster()
        master.findWork()
        for _ in 0..<10 {
            master.pass(seconds: 30)
            master.answerAll()
            master.findWork()
        }
        #expect(master.alarms.isEmpty)
        master.refuse()
        master.pass(seconds: 100)
        #expect(!master.alarms.isEmpty)
        master.process(.threadEvent(.shutDown))
        #expect(master.alarms.isEmpty)
    }

    @Test func `a master that has grown too large restarts, but not immediately`() {
        var master = AlarmedMaster()
        master.residentKilobytes = 2_000 << 10
        master.pass(seconds: 599)
        #expect(!master.isLeaving)
        master.pass(seconds: 2)
        #expect(master.isLeaving && master.machineRestarts)
        master.process(.threadEvent(.shutDown))
        #expect(!master.machineRestarts, "a requested end is not followed by another start")
    }
}

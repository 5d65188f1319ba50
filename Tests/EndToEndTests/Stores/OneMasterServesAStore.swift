import Glibc
import Testing
import pushload

extension EndToEnd.Stores {
    @Test func `a second master is refused with one line and does not affect the first`() async throws {
        try await withTestbedInAFile { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            let first = try #require(try await testbed.status().master)
            try Self.expectRefusal(try await testbed.pushmta(["run"]))
            #expect(try await testbed.status().master?.pid == first.pid)

            try await testbed.importSubscribers(SyntheticSubscribers(100))
            let delivery = try await testbed.submit()
            try await testbed.settle(delivery)
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(100))
        }
    }

    @Test
    func `a store opened through a symbolic link has the same master, and commands reach this master`()
        async throws
    {
        try await withTestbedInAFile { testbed in
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(100))
            try await testbed.startEngine()
            let first = try #require(try await testbed.status().master)
            try testbed.folder.make("other")
            try #require(unsafe symlink("../var/pushmta.db", testbed.folder.file("other/link.db")) == 0)
            try testbed.reconfigure(#"server="var/pushmta.db""#, to: #"server="other/link.db""#)

            try Self.expectRefusal(try await testbed.pushmta(["run"]))
            #expect(try await testbed.status().master?.pid == first.pid)
            // The master finds it because of the notification, because it polls only every 30 s.
            let delivery = try await testbed.submit()
            try await testbed.settle(delivery)
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(100))
        }
    }

    @Test func `a store file with a second hard link is refused, and its running master reports the link`()
        async throws
    {
        try await withTestbedInAFile { testbed in
            testbed.expectedComplaints = ["has 2 hard links"]
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(100))
            try await testbed.startEngine()
            let delivery = try await testbed.submit()
            try await testbed.settle(delivery)
            let (own, second) = (testbed.folder.file("var/pushmta.db"), testbed.folder.file("var/second.db"))
            try #require(unsafe link(own, second) == 0)
            try testbed.reconfigure(#"server="var/pushmta.db""#, to: #"server="var/second.db""#)
            let refused = try await testbed.pushmta(["run"])
            try Self.expectRefusal(refused)
            #expect(refused.complaints.contains("hard links"))
            try await Waiting.until("the master to say so") {
                testbed.logLines("has 2 hard links").isEmpty ? nil : ()
            }
            unsafe unlink(second)
            try testbed.reconfigure(#"server="var/second.db""#, to: #"server="var/pushmta.db""#)
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(100))
        }
    }

    @Test(arguments: [false, true])
    func `a master whose lock files are removed ends, and no other master sends before that`(
        areReplaced: Bool
    )
        async throws
    {
        let count = 20_000
        try await withTestbedInAFile(KillScenario.settings(stopsAfter: [2_000])) { testbed in
            testbed.expectedComplaints = ["the lock file"]
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            try await testbed.startEngine()
            let delivery = try await testbed.submit()
            let first = try #require(testbed.engine)
            try await testbed.amidDelivery {
                // The first master is suspended, so the second one certainly starts before the first one
                // notices.
                testbed.stop(child: first.processID)
                for name in ["master", "children"] {
                    unsafe unlink(testbed.folder.file("var/pushmta.db.\(name)"))
                    if areReplaced { try testbed.folder.write("", to: "var/pushmta.db.\(name)") }
                }
                // The lock files allow a second master, but the store itself does not.
                try Self.expectRefusal(try await testbed.pushmta(["run"]))
                first.signal(SIGCONT)
            }
            #expect(try await first.end().status == 1)
            #expect(testbed.logLines("critical").count == 1)
            try await testbed.startEngine()
            try await testbed.settle(delivery)
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))
        }
    }

    private static func expectRefusal(_ second: Testbed.CommandResult) throws {
        #expect(second.ending.status == 1)
        #expect(second.output.isEmpty)
        let lines = second.complaints.split(separator: "\n")
        #expect(lines.count == 1, "\(second.complaints)")
        #expect(lines.first?.contains(" level=critical ") == true)
    }
}

import CPushShims
import Foundation
import Glibc
import PushMaster
import PushModel
import PushSystem
import PushWire
import Synchronization
import TestSupport
import Testing

@Suite struct ControlServerTests {
    /// With a lock beside it, as a client looks for one.
    private func withMaster(
        clientSeconds: Int64 = ControlServer.clientSeconds, _ story: (StandInMaster) throws -> Void
    ) throws {
        try TemporaryFolder.with { folder in
            let lock = try InstanceLock(besideStore: folder + "/store")
            let master = try StandInMaster(in: folder, clientSeconds: clientSeconds)
            defer { master.stop() }
            try story(master)
            withExtendedLifetime(lock) {}
        }
    }

    private func status(_ master: StandInMaster) throws -> MasterStatus {
        var status = try #require(try ControlClient.status(storePath: master.storePath))
        status.ageSeconds = 0
        return status
    }

    @Test func `status and nudge reach the master`() throws {
        try withMaster { master throws in
            _ = master.run()
            #expect(try status(master) == StandInMaster.status)
            ControlClient.nudge(storePath: master.storePath)
            eventually("the nudge was heard") { master.told == ["status", "nudge"] }
            master.stop()
            let socket = ControlSocket.path(besideStore: master.storePath)
            eventually("the socket is removed") { !FileManager.default.fileExists(atPath: socket) }
        }
    }

    @Test func `a client of an earlier version is answered as ever`() throws {
        try withMaster { master throws in
            _ = master.run()
            for request in ["status\n", "status"] {
                let client = try master.client(request)
                defer { close(client) }
                shutdown(client, Int32(SHUT_WR))
                let answer = Data(StandInMaster.rest(of: client).utf8)
                #expect(try JSONDecoder().decode(MasterStatus.self, from: answer).state == "running")
            }
            let nudge = try master.client("nudge\n")
            defer { close(nudge) }
            #expect(StandInMaster.rest(of: nudge).isEmpty)
            eventually("the nudge was heard") { master.told.last == "nudge" }
        }
    }

    @Test func `neither silence nor slowness nor nonsense of others keeps one from its answer`() throws {
        try withMaster { master throws in
            _ = master.run()
            let others = try ["", "sta", "reboot\n", "operation 1 mark 100\n"].map { try master.client($0) }
            defer { for other in others { close(other) } }
            #expect(try status(master) == StandInMaster.status)
            #expect(StandInMaster.rest(of: others[2]).hasPrefix("no "))
            #expect(master.told == ["status"], "nothing is done for who asks for nothing that exists")
        }
    }

    @Test func `a client that is slow all the time has no more time than a silent one`() throws {
        try withMaster(clientSeconds: 1) { master throws in
            _ = master.run()
            let slow = try master.client()
            defer { close(slow) }
            let byte: [UInt8] = [UInt8(ascii: "s")]
            eventually("it is turned away") {
                usleep(20_000)
                return unsafe push_send(slow, byte, 1) < 0
            }
        }
    }

    @Test
    func `as many clients as are served at a time are all answered, and the next one when one of them goes`()
        throws
    {
        try withMaster { master throws in
            _ = master.run()
            var silent = try (0..<ControlServer.mostClients).map { _ in try master.client() }
            defer { for client in silent { close(client) } }
            let next = try master.client("status\n")
            defer { close(next) }
            close(silent.removeFirst())
            #expect(StandInMaster.rest(of: next).contains("\"running\""))
        }
        try withMaster { master throws in
            _ = master.run()
            let clients = try (0..<ControlServer.mostClients).map { _ in try master.client("status\n") }
            for client in clients {
                #expect(StandInMaster.rest(of: client).contains("\"running\""))
                close(client)
            }
        }
    }

    @Test func `those who ask at one time share one word of the loop`() throws {
        try withMaster { master throws in
            _ = master.run(answeringAfter: 300_000)
            let clients = try (0..<20).map { _ in try master.client("status\n") }
            for client in clients {
                #expect(StandInMaster.rest(of: client).contains("\"running\""))
                close(client)
            }
            // The first alone, and those who came during its turn; a machine that is busy may need one more.
            #expect((1...4).contains(master.told.count), "\(master.told.count)")
        }
    }

    @Test func `a loop that does not answer is not waited for: its last word is given, with its age`() throws
    {
        try withMaster { master throws in
            _ = master.run(isSilent: true)
            for _ in 0..<2 {
                let status = try #require(try ControlClient.status(storePath: master.storePath))
                #expect(status.ageSeconds >= 0.9)
                #expect(status.unrecorded == StandInMaster.status.unrecorded)
            }
            #expect(master.told == ["status"], "it is asked once")
        }
    }

    @Test func `before there is a loop the answer is there at once and says what is waited for`() throws {
        try withMaster { master throws in
            master.handle.board.noteStart(waitsFor: "children of an earlier master")
            let status = try #require(try ControlClient.status(storePath: master.storePath))
            #expect(status.state == "starting")
            #expect(status.waitsFor == "children of an earlier master")
            #expect(status.ageSeconds == 0)
            #expect(master.told.isEmpty)
        }
    }

    @Test func `it ends at once, whoever is connected`() throws {
        try withMaster { master throws in
            let clients = try ["", "status", "operation 1 mark 100\n"].map { try master.client($0) }
            defer { for client in clients { close(client) } }
            let start = Date()
            master.stop()
            // Each of them would have had ten seconds.
            #expect(Date().timeIntervalSince(start) < 9)
            for client in clients { _ = StandInMaster.rest(of: client) }
        }
    }

    // MARK: Operations

    @Test func `an operation is carried out by the master, several at once`() throws {
        try withMaster { master throws in
            _ = master.run()
            let running = Mutex(0)
            let most = Mutex(0)
            try master.handle.workers.start { request in
                let now = running.withLock {
                    $0 += 1
                    return $0
                }
                most.withLock { $0 = max($0, now) }
                usleep(100_000)
                running.withLock { $0 -= 1 }
                return Array("answer to ".utf8) + request
            }
            let answers = Mutex<[ControlClient.Outcome]>([])
            let threads = (0..<12).map { number in
                OtherThread {
                    let outcome = ControlClient.carryOut(
                        Array("\(number)".utf8), mark: "mark", storePath: master.storePath)
                    answers.withLock { $0.append(outcome) }
                }
            }
            #expect(threads.allSatisfy { $0.hasEnded() })
            let wanted = (0..<12).map { ControlClient.Outcome.answer(Array("answer to \($0)".utf8)) }
            for answer in wanted { #expect(answers.withLock { $0 }.contains(answer)) }
            #expect(most.withLock { $0 } > 1)
            #expect(master.handle.status().operations == 12)
            #expect(master.handle.workers.stop(by: Clocks.monotonic().advanced(bySeconds: 30)))
        }
    }

    @Test func `status is answered while every worker is busy and all places to wait are taken`() throws {
        try withMaster { master throws in
            _ = master.run()
            let permit = DispatchSemaphore(value: 0)
            let begun = Mutex(0)
            try master.handle.workers.start { _ in
                begun.withLock { $0 += 1 }
                permit.wait()
                return [1]
            }
            let all = OperationWorkers.threads + OperationWorkers.mostWaiting
            var clients: [Int32] = []
            defer { for client in clients { close(client) } }
            for number in 1...all {
                clients.append(try master.client("operation 1 mark 1\nx"))
                // None is refused for being quicker than the workers are.
                eventually("it is taken") {
                    begun.withLock { $0 } + master.handle.workers.waiting == number
                }
            }
            try #require(!master.handle.workers.hasRoom)
            #expect(try status(master) == StandInMaster.status)
            let late = try master.client("operation 1 mark 1\nx")
            defer { close(late) }
            #expect(StandInMaster.rest(of: late) == "busy\n")
            var patience = ControlClient.Patience()
            patience.busy = 100
            #expect(
                ControlClient.carryOut([1], mark: "mark", storePath: master.storePath, patience: patience)
                    == .notTaken)
            for _ in 0..<all { permit.signal() }
            for client in clients { #expect(StandInMaster.rest(of: client) == "go\nanswer 1\n\u{1}") }
            #expect(master.handle.workers.stop(by: Clocks.monotonic().advanced(bySeconds: 30)))
        }
    }

    @Test func `what has not begun when its client goes is not begun`() throws {
        try withMaster { master throws in
            _ = master.run()
            let permit = DispatchSemaphore(value: 0)
            let begun = Mutex(0)
            try master.handle.workers.start(threads: 1) { _ in
                begun.withLock { $0 += 1 }
                permit.wait()
                return []
            }
            let first = try master.client("operation 1 mark 1\nx")
            defer { close(first) }
            eventually("the first is carried out") { begun.withLock { $0 } == 1 }
            let second = try master.client("operation 1 mark 1\nx")
            eventually("the second waits") { master.handle.workers.waiting == 1 }
            close(second)
            eventually("the second is forgotten") { master.handle.workers.waiting == 0 }
            permit.signal()
            #expect(StandInMaster.rest(of: first) == "go\nanswer 0\n")
            #expect(master.handle.workers.stop(by: Clocks.monotonic().advanced(bySeconds: 30)))
            #expect(begun.withLock { $0 } == 1)
        }
    }

    @Test func `an operation of another mark, or of a master that carries out none, is not taken`() throws {
        try withMaster { master throws in
            _ = master.run()
            let path = master.storePath
            #expect(ControlClient.carryOut([1], mark: "mark", storePath: path) == .notTaken)
            try master.handle.workers.start { $0 }
            #expect(ControlClient.carryOut([1], mark: "other", storePath: path) == .notTaken)
            #expect(ControlClient.carryOut([1], mark: "mark", storePath: path) == .answer([1]))
            let large = [UInt8](repeating: 7, count: ControlRequest.mostBytes)
            #expect(ControlClient.carryOut(large, mark: "mark", storePath: path) == .answer(large))
            #expect(ControlClient.carryOut(large + [1], mark: "mark", storePath: path) == .notTaken)
            #expect(master.handle.workers.stop(by: Clocks.monotonic().advanced(bySeconds: 30)))
            #expect(ControlClient.carryOut([1], mark: "mark", storePath: path) == .notTaken)
        }
    }
}

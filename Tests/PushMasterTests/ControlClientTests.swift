import CPushShims
import Foundation
import Glibc
import PushMaster
import TestSupport
import Testing

/// What a client makes of masters that are not there, are stopped, are of another version, or die.
@Suite struct ControlClientTests {
    private static var shortPatience: ControlClient.Patience {
        var patience = ControlClient.Patience()
        (patience.admission, patience.answer, patience.busy) = (300, 300, 300)
        return patience
    }

    /// The outcome with somebody on the socket who does this with each client.
    private func outcome(
        _ request: [UInt8] = [1, 2, 3], patience: ControlClient.Patience = ControlClient.Patience(),
        with serve: @escaping @Sendable (Int32) -> Void
    ) throws -> ControlClient.Outcome {
        try TemporaryFolder.with { folder in
            let listener = unsafe push_unix_listen(ControlSocket.path(besideStore: folder + "/store"))
            try #require(listener >= 0)
            let thread = OtherThread {
                while true {
                    var item = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
                    guard unsafe poll(&item, 1, 20_000) == 1 else { return }
                    let client = accept(listener, nil, nil)
                    guard client >= 0 else { return }
                    serve(client)
                    close(client)
                }
            }
            let outcome = ControlClient.carryOut(
                request, mark: "mark", storePath: folder + "/store", patience: patience)
            shutdown(listener, Int32(SHUT_RDWR))
            #expect(thread.hasEnded())
            close(listener)
            return outcome
        }
    }

    /// Reads so many bytes, or until the end.
    private static func take(_ count: Int, from client: Int32) {
        var left = count
        var buffer = [UInt8](repeating: 0, count: 256)
        while left > 0 {
            let taken = unsafe read(client, &buffer, min(left, buffer.count))
            guard taken > 0 else { return }
            left -= taken
        }
    }

    private static let line = "operation 1 mark 3\n".utf8.count

    private static func say(_ text: String, to client: Int32) {
        let bytes = Array(text.utf8)
        _ = unsafe push_send(client, bytes, bytes.count)
    }

    @Test func `without a master nothing is taken, and nobody is asked for status`() throws {
        try TemporaryFolder.with { folder throws in
            #expect(ControlClient.carryOut([1], mark: "mark", storePath: folder + "/store") == .notTaken)
            #expect(try ControlClient.status(storePath: folder + "/store") == nil)
            ControlClient.nudge(storePath: folder + "/store")
        }
    }

    @Test func `a master that does not listen is an error of status that names the socket`() throws {
        try TemporaryFolder.with { folder in
            let lock = try InstanceLock(besideStore: folder + "/store")
            let error = #expect(throws: MasterError.self) {
                try ControlClient.status(storePath: folder + "/store")
            }
            #expect(error?.description.contains(folder + "/store.control") == true)
            withExtendedLifetime(lock) {}
        }
    }

    @Test func `a master of an earlier version takes nothing`() throws {
        // It reads the line, knows no such request, and closes.
        let outcome = try outcome { Self.take(Self.line, from: $0) }
        #expect(outcome == .notTaken)
    }

    @Test func `a master that is stopped takes nothing, and is not waited for long`() throws {
        try TemporaryFolder.with { folder in
            let listener = unsafe push_unix_listen(ControlSocket.path(besideStore: folder + "/store"))
            try #require(listener >= 0)
            defer { close(listener) }
            // Connections succeed until its queue is full, and wait from then on.
            for _ in 0..<3 {
                let outcome = ControlClient.carryOut(
                    [1], mark: "mark", storePath: folder + "/store", patience: Self.shortPatience)
                #expect(outcome == .silent)
            }
            let queue = (0..<80).compactMap { _ -> Int32? in
                let client = unsafe push_unix_connect(ControlSocket.path(besideStore: folder + "/store"), 50)
                return client >= 0 ? client : nil
            }
            #expect(queue.count < 80)
            let outcome = ControlClient.carryOut(
                [1], mark: "mark", storePath: folder + "/store", patience: Self.shortPatience)
            #expect(outcome == .silent)
            for client in queue { close(client) }
        }
    }

    @Test(arguments: ["no reason\n", "nonsense\n", "answer 3\nabc", ""])
    func `what is not admitted is not taken`(answer: String) throws {
        let outcome = try outcome {
            Self.take(Self.line, from: $0)
            Self.say(answer, to: $0)
        }
        #expect(outcome == .notTaken)
    }

    @Test func `what was admitted and then refused is not taken`() throws {
        let outcome = try outcome {
            Self.take(Self.line, from: $0)
            Self.say("go\n", to: $0)
            Self.take(3, from: $0)
            Self.say("no more\n", to: $0)
        }
        #expect(outcome == .notTaken)
    }

    @Test(arguments: ["", "answer 5\nab", "answ", "go\n", "nonsense\n"])
    func `once it was sent wholly, anything but a whole answer leaves the outcome unknown`(answer: String)
        throws
    {
        let outcome = try outcome {
            Self.take(Self.line, from: $0)
            Self.say("go\n", to: $0)
            Self.take(3, from: $0)
            Self.say(answer, to: $0)
        }
        #expect(outcome == .unknown)
    }

    @Test func `a master that is stopped after it was sent leaves the outcome unknown`() throws {
        let outcome = try outcome(patience: Self.shortPatience) {
            Self.take(Self.line, from: $0)
            Self.say("go\n", to: $0)
            // Until the client gives up.
            Self.take(.max, from: $0)
        }
        #expect(outcome == .unknown)
    }

    @Test func `a master that is busy is asked again, for a while`() throws {
        let outcome = try outcome(patience: Self.shortPatience) {
            Self.take(Self.line, from: $0)
            Self.say("busy\n", to: $0)
        }
        #expect(outcome == .notTaken)
    }
}

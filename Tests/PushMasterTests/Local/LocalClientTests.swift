import CPushShims
import Foundation
import Glibc
import PushMaster
import PushWire
import TestSupport
import Testing

/// Tests a client with services that are absent, are suspended, have another version, or die.
@Suite struct LocalClientTests {
    private static var shortPatience: LocalClient.Timeouts {
        var timeouts = LocalClient.Timeouts()
        (timeouts.admission, timeouts.answer, timeouts.busy) = (300, 300, 300)
        return timeouts
    }

    /// Returns the outcome of an operation with a service that handles each connection as given.
    private func outcome(
        of request: ServiceRequest = Self.request,
        timeouts: LocalClient.Timeouts = LocalClient.Timeouts(),
        with serve: @escaping @Sendable (Int32) -> Void
    ) throws -> CarriedOut {
        try TemporaryFolder.with { folder in
            let service = try StandInService(in: folder) { client in
                serve(client)
                close(client)
            }
            defer { service.end() }
            return LocalClient.carryOut(
                request, mark: "mark", storePath: service.storePath, timeouts: timeouts)
        }
    }

    private static let request = ServiceRequest("POST", "/services", body: Array("{}".utf8))

    private static func answer(_ status: Int, _ body: String = "") -> CarriedOut {
        .answer(ServiceReply(status: status, body: Array(body.utf8)))
    }

    /// Answers the first request like a service that accepts operations.
    private static func admit(_ client: Int32) {
        #expect(StandInService.request(from: client).hasPrefix("GET /api/v1/instance HTTP/1.1\r\n"))
        StandInService.say(StandInService.answer(200), to: client)
    }

    @Test func `without a service, no operation is accepted, and there is no status`() throws {
        try TemporaryFolder.with { folder throws in
            #expect(
                LocalClient.carryOut(Self.request, mark: "mark", storePath: folder + "/store") == .notTaken)
            #expect(try LocalClient.status(storePath: folder + "/store") == nil)
            #expect(!LocalClient.wakeUp(storePath: folder + "/store"))
            #expect(LocalClient.terminate(storePath: folder + "/store") == nil)
        }
    }

    @Test func `a master that does not listen is reported with the name of its socket`() throws {
        try TemporaryFolder.with { folder in
            let lock = try InstanceLock(forStore: folder + "/store")
            let error = #expect(throws: MasterError.self) {
                try LocalClient.status(storePath: folder + "/store")
            }
            #expect(error?.description.contains(folder + "/store.control") == true)
            withExtendedLifetime(lock) {}
        }
    }

    /// The first answer is that of a master with version 0.7.
    @Test(arguments: ["no there is no such request in this version\n", "", "HTTP/1.1 404 X\r\n\r\n"])
    func `a master with another version is reported with this version`(answer: String) throws {
        try TemporaryFolder.with { folder in
            let service = try StandInService(in: folder) { client in
                _ = StandInService.request(from: client)
                StandInService.say(answer, to: client)
                close(client)
            }
            defer { service.end() }
            let lock = try InstanceLock(forStore: service.storePath)
            let socket = LocalSocket.path(forStore: service.storePath)
            #expect(throws: MasterError.otherVersion(socket: socket)) {
                try LocalClient.status(storePath: service.storePath)
            }
            withExtendedLifetime(lock) {}
        }
    }

    @Test func `an operation is sent after the service has answered, on the condition that the mark matches`()
        throws
    {
        let outcome = try outcome { client in
            Self.admit(client)
            let request = StandInService.request(from: client)
            #expect(
                request.hasPrefix("POST /api/v1/services HTTP/1.1\r\n") && request.hasSuffix("\r\n\r\n{}"))
            #expect(request.contains("\r\nIf-Match: \"mark\"\r\n"))
            #expect(!request.contains(ServiceRequest.callerField))
            #expect(!request.contains(ServiceRequest.servicesField))
            StandInService.say(StandInService.answer(200, "result"), to: client)
        }
        #expect(outcome == Self.answer(200, "result"))
    }

    @Test(arguments: [([3, 7], "3 7"), ([], "0")])
    func `the bounds of the original caller are sent to the service`(
        services: [Int64], text: String
    ) throws {
        var request = ServiceRequest("POST", "/services")
        request.services = services
        #expect(request.servicesText == text)
        #expect(ServiceRequest.services(in: text) == (services.isEmpty ? [0] : services))
        for text in ["", " ", "3 x", "a"] { #expect(ServiceRequest.services(in: text) == nil) }
        let outcome = try outcome(of: request) { client in
            Self.admit(client)
            let received = StandInService.request(from: client)
            #expect(received.contains("\r\n\(ServiceRequest.servicesField): \(text)\r\n"))
            StandInService.say(StandInService.answer(200, "result"), to: client)
        }
        #expect(outcome == Self.answer(200, "result"))
    }

    @Test func `an answer can arrive byte by byte`() throws {
        let outcome = try outcome { client in
            for body in ["{}", "result"] {
                _ = StandInService.request(from: client)
                for character in StandInService.answer(200, body) {
                    StandInService.say(String(character), to: client)
                }
            }
        }
        #expect(outcome == Self.answer(200, "result"))
    }

    @Test func `a suspended service accepts no operation, and the client does not wait long for it`() throws {
        try TemporaryFolder.with { folder in
            let path = LocalSocket.path(forStore: folder + "/store")
            let listener = unsafe push_unix_listen(path)
            try #require(listener >= 0)
            defer { close(listener) }
            func outcome() -> CarriedOut {
                LocalClient.carryOut(
                    Self.request, mark: "mark", storePath: folder + "/store", timeouts: Self.shortPatience)
            }
            // Connections succeed until the listener's queue is full, and then block.
            for _ in 0..<3 { #expect(outcome() == .silent) }
            let queue = (0..<80).compactMap { _ -> Int32? in
                let client = unsafe push_unix_connect(path, 50)
                return client >= 0 ? client : nil
            }
            #expect(queue.count < 80)
            #expect(outcome() == .silent)
            for client in queue { close(client) }
        }
    }

    /// The second line is the answer of a master with version 1.0.
    @Test(arguments: [
        "", "no there is no such request in this version\n", "HTTP/1.1 ", "HTTP/1.1 404 X\r\n\r\n",
    ])
    func `a service with another version accepts no operation`(answer: String) throws {
        let outcome = try outcome {
            _ = StandInService.request(from: $0)
            StandInService.say(answer, to: $0)
        }
        #expect(outcome == .notTaken)
    }

    @Test(arguments: [400, 404, 405, 412, 413, 500, 503])
    func `an answer counts as an answer, whatever its status`(status: Int) throws {
        let outcome = try outcome {
            Self.admit($0)
            _ = StandInService.request(from: $0)
            StandInService.say(StandInService.answer(status), to: $0)
        }
        #expect(outcome == Self.answer(status, "{}"))
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab", "HTT", "nonsense\r\n\r\n",
    ])
    func `once a complete request has been sent, the outcome is unknown without a complete answer`(
        answer: String
    ) throws {
        let outcome = try outcome {
            Self.admit($0)
            _ = StandInService.request(from: $0)
            StandInService.say(answer, to: $0)
        }
        #expect(outcome == .unknown)
    }

    @Test func `if the service is suspended after the request has been sent, the outcome is unknown`() throws
    {
        let outcome = try outcome(timeouts: Self.shortPatience) {
            Self.admit($0)
            _ = StandInService.request(from: $0)
            // Blocks until the client gives up.
            _ = StandInService.request(from: $0)
        }
        #expect(outcome == .unknown)
    }

    @Test func `a busy service is contacted again for a limited time`() throws {
        let outcome = try outcome(timeouts: Self.shortPatience) {
            Self.admit($0)
            _ = StandInService.request(from: $0)
            StandInService.say(StandInService.answer(503, #"{"code": "busy"}"#), to: $0)
        }
        #expect(outcome == .notTaken)
    }
}

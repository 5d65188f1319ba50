import CPushShims
import Foundation
import Glibc
import Logging
import PushAPI
import PushConfig
import PushConnectors
import PushMaster
import PushModel
import PushServer
import PushStore
import PushSystem
import PushWire
import Synchronization
import TestSupport
import Testing

/// Tests the API on an instance's Unix socket, and the client with which commands use it.
@Suite struct LocalModuleTests {
    /// A service without a master's loop. Requests to the loop are recorded.
    private final class Service: Sendable {
        let storePath: String
        let engine = NotingEngine()
        private let lock: InstanceLock
        private let socket: Mutex<LocalSocket?>
        private let module: LocalModule

        init(
            _ workspace: Workspace, requestLimit: Duration = .seconds(10)
        ) throws {
            let configuration = try ConfigurationFile.load(
                path: workspace.path("serverConf.xml"), schema: ConnectorCatalogue.settings)
            let store = try Store.open(configuration.settings.store.place)
            storePath = store.instancePath
            lock = try InstanceLock(forStore: storePath)
            let socket = try LocalSocket(forStore: storePath)
            let operations = Operations(
                configuration: configuration, store: store, engine: engine,
                clock: OperationsClock(
                    moment: { WallMoment(WallTime(secondsSince1970: 1_795_262_400)) },
                    monotonic: { MonotonicTime(nanoseconds: 0) }), caller: "the service")
            let source = WebSource(
                hasMaster: true, product: WebSource.Product(version: "1", commit: "a", schema: "1/1"),
                logger: Logger(label: "local") { _ in SwiftLogNoOpLogHandler() }, devices: { nil }
            ) { operations }
            module = try LocalModule(on: socket.descriptor, source, requestLimit: requestLimit)
            self.socket = Mutex(socket)
        }

        private let hasStopped = Mutex(false)

        func stop() {
            let isFirst = hasStopped.withLock { hasStopped in
                defer { hasStopped = true }
                return !hasStopped
            }
            guard isFirst else { return }
            _ = module.drain(until: Clocks.monotonic().advanced(bySeconds: 2))
            module.stop()
            // The descriptor is shut down as the service does it. Clients that were not accepted yet are
            // connected to this descriptor.
            socket.withLock { $0 = nil }
        }

        func carryOut(
            _ path: String, _ body: String, mark: String? = "mark"
        ) -> CarriedOut {
            LocalClient.carryOut(
                ServiceRequest("POST", path, body: Array(body.utf8)), mark: mark, storePath: storePath)
        }

        /// Returns whether the operation creates a service with this name.
        func creates(_ name: String) -> Bool {
            guard case .answer(let reply) = carryOut("/services", #"{"name": "\#(name)"}"#) else {
                return false
            }
            return reply.status == 201
        }

        func status() throws -> MasterStatus? { try LocalClient.status(storePath: storePath) }

        /// Returns a connection on which this text was sent. The caller closes it.
        func connection(_ text: String = "") throws -> Int32 {
            let client = unsafe push_unix_connect(LocalSocket.path(forStore: storePath), 10_000)
            try #require(client >= 0)
            // A read that never ends must not hang the tests.
            var limit = timeval(tv_sec: Int(Patience.limit.components.seconds), tv_usec: 0)
            unsafe setsockopt(
                client, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            let bytes = Array(text.utf8)
            if !bytes.isEmpty { #expect(unsafe push_send(client, bytes, bytes.count) == bytes.count) }
            return client
        }

        /// Returns everything that a client receives for this request, on a connection that ends with it.
        /// - Parameter fields: Header fields, each with its line end.
        func answer(
            to method: String, _ path: String, body: String = "", fields: String = ""
        ) throws -> String {
            let length = fields + (body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n")
            let client = try connection(
                "\(method) /api/v1\(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(length)\r\n\(body)"
            )
            defer { close(client) }
            return Self.rest(of: client)
        }

        static func rest(of client: Int32) -> String {
            var all: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = unsafe read(client, &buffer, buffer.count)
                guard count > 0 else { return String(decoding: all, as: UTF8.self) }
                all += buffer[..<count]
            }
        }
    }

    private func with(
        requestLimit: Duration = .seconds(10),
        _ story: @escaping @Sendable (Service) throws -> Void
    ) async throws {
        let workspace = try await Workspace.withApp()
        // Blocking clients must not occupy the threads on which the tasks of other tests run.
        try await Self.onOwnThread {
            let service = try Service(workspace, requestLimit: requestLimit)
            defer { service.stop() }
            try story(service)
        }
    }

    private static func onOwnThread(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }

    @Test func `the bounds of the original caller apply to a request of another process`() async throws {
        try await with { service throws in
            #expect(service.creates("other"))
            func answer(_ path: String, services: String) throws -> String {
                let fields = "\(ServiceRequest.servicesField): \(services)\r\n"
                return try service.answer(to: "GET", path, fields: fields)
            }
            #expect(try answer("/services", services: "1 2").contains("\"other\""))
            #expect(try !answer("/services", services: "1").contains("\"other\""))
            #expect(try answer("/services/other", services: "1").contains(" 404 "))
            #expect(try answer("/services/other", services: "0").contains(" 404 "))
            #expect(try answer("/services/other", services: "2").contains(" 200 "))
            #expect(try answer("/hosts", services: "1 2").contains(" 403 "))
            #expect(try answer("/services", services: "x").contains(" 400 "))
        }
    }

    @Test func `status requests and notifications reach the master`() async throws {
        try await with { service throws in
            #expect(try service.status() == NotingEngine.status)
            #expect(LocalClient.wakeUp(storePath: service.storePath))
            #expect(LocalClient.pauseChanged(DeliveryID(rawValue: 7), storePath: service.storePath))
            #expect(service.engine.notes == ["status", "wakeUp", "pause 7"])
        }
    }

    @Test func `the whole API is available without a token, and the operator is identified by user id`()
        async throws
    {
        try await with { service throws in
            let created = try service.answer(to: "POST", "/services", body: #"{"name": "local"}"#)
            #expect(created.hasPrefix("HTTP/1.1 201 "))
            #expect(try service.answer(to: "GET", "/services/local").hasPrefix("HTTP/1.1 200 "))
            #expect(try service.answer(to: "GET", "/nothing").hasPrefix("HTTP/1.1 404 "))
            let audit = try service.answer(to: "GET", "/audit")
            #expect(audit.contains("service.create") && audit.contains("user \(geteuid()) (command)"))
            #expect(try service.answer(to: "GET", "/instance").contains(#""mark":"mark""#))
        }
    }

    @Test func `silent, slow and nonsensical clients do not delay the answers to other clients`() async throws
    {
        try await with { service throws in
            let texts = [
                "", "GET /api", "reboot\r\n\r\n",
                "POST /api/v1/services HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
            ]
            let others = try texts.map { try service.connection($0) }
            defer { for other in others { close(other) } }
            #expect(try service.status() == NotingEngine.status)
            #expect(Service.rest(of: others[2]).hasPrefix("HTTP/1.1 400 "))
            #expect(service.creates("a"))
        }
    }

    @Test func `a client that is always slow gets no more time than a silent client`() async throws {
        try await with(requestLimit: .seconds(1)) { service throws in
            let slow = try service.connection("GET /api/v1/instance HTTP/1.1\r\nHost: x\r\nX: ")
            defer { close(slow) }
            let byte: [UInt8] = [UInt8(ascii: "s")]
            eventually("it is turned away") {
                usleep(20_000)
                return unsafe push_send(slow, byte, 1) < 0
            }
        }
    }

    @Test func `idle clients do not lock out another client, whatever their number`() async throws {
        try await with { service throws in
            let silent = try (0..<2 * LocalModule.maxConnections).map { _ in try service.connection() }
            defer { for client in silent { close(client) } }
            #expect(try service.status() == NotingEngine.status)
            #expect(service.creates("a"))
        }
    }

    @Test func `simultaneous status requests share one answer from the master`() async throws {
        try await with { service throws in
            service.engine.hold()
            let request = "GET /api/v1/master HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            let clients = try (0..<20).map { _ in try service.connection(request) }
            eventually("the master is asked") { !service.engine.notes.isEmpty }
            service.engine.release()
            for client in clients {
                #expect(Service.rest(of: client).contains(#""state":"running""#))
                close(client)
            }
            // The first request is answered alone, and then all requests that arrived meanwhile. Their number
            // depends on the machine.
            #expect(service.engine.notes.count < 20, "\(service.engine.notes.count)")
        }
    }

    @Test func `the module ends immediately, whichever clients are connected`() async throws {
        try await with { service throws in
            let texts = ["", "GET /api/v1/ins", "GET /api/v1/instance HTTP/1.1\r\nHost: x\r\n\r\n"]
            let clients = try texts.map { try service.connection($0) }
            defer { for client in clients { close(client) } }
            let begin = ContinuousClock.now
            service.stop()
            // Otherwise, each of these clients would have had at least ten seconds.
            #expect(ContinuousClock.now - begin < .seconds(9))
            for client in clients { _ = Service.rest(of: client) }
        }
    }

    // MARK: Operations

    @Test func `several operations run at the same time, and status is answered meanwhile`() async throws {
        let document =
            #"{"label": "l", "service": "neotrips", "target": {"all": true}, "allowEmpty": true, "content": {"title": "t"}}"#
        try await with { service throws in
            let permit = DispatchSemaphore(value: 0)
            let begun = Mutex(0)
            service.engine.onWakeUp {
                begun.withLock { $0 += 1 }
                permit.wait()
            }
            let outcomes = Mutex<[CarriedOut]>([])
            let clients = 12
            for _ in 0..<clients {
                Thread.detachNewThread {
                    let outcome = service.carryOut("/deliveries", document)
                    outcomes.withLock { $0.append(outcome) }
                }
            }
            eventually("every thread is busy") { begun.withLock { $0 } == LocalModule.operationThreads }
            #expect(try service.status() == NotingEngine.status)
            for _ in 0..<clients { permit.signal() }
            eventually("all are answered") { outcomes.withLock(\.count) == clients }
            let bodies = outcomes.withLock(\.self).compactMap { outcome -> [UInt8]? in
                if case .answer(let reply) = outcome, reply.status == 201 { reply.body } else { nil }
            }
            #expect(Set(bodies).count == clients)
            #expect(service.engine.operations == clients)
        }
    }

    @Test func `an operation is not executed if it is meant for another service, or if it is too long`()
        async throws
    {
        try await with { service throws in
            func status(_ outcome: CarriedOut) -> Int? {
                if case .answer(let reply) = outcome { reply.status } else { nil }
            }
            #expect(status(service.carryOut("/services", #"{"name": "a"}"#, mark: "other")) == 412)
            #expect(status(service.carryOut("/services", #"{"name": "a"}"#, mark: "mark")) == 201)
            #expect(status(service.carryOut("/services", #"{"name": "b"}"#, mark: nil)) == 201)
            #expect(status(service.carryOut("/services", #"{"name": "a"}"#)) == 409)
            let longest = String(repeating: "7", count: LocalClient.maxBodyBytes)
            #expect(status(service.carryOut("/messages", longest)) == 400)
            #expect(service.carryOut("/messages", longest + "1") == .notTaken)
        }
    }

    @Test func `the audit trail names the caller of a change, or the caller for whom another process acts`()
        async throws
    {
        try await with { service throws in
            let create = ServiceRequest("POST", "/services", body: Array(#"{"name": "a"}"#.utf8))
            let rename = ServiceRequest("PATCH", "/services/a", body: Array(#"{"label": "A"}"#.utf8))
            for (request, caller) in [(create, nil), (rename, "shop/é")] {
                let outcome = LocalClient.carryOut(
                    request, for: caller, mark: nil, storePath: service.storePath)
                guard case .answer(let reply) = outcome else { throw try #require(nil as MasterError?) }
                #expect(reply.isSuccess)
            }
            let trail = try service.answer(to: "GET", "/audit")
            #expect(trail.contains(#""who":"user \#(geteuid()) (command)","action":"service.create""#))
            #expect(trail.contains(#""who":"shop/é","action":"service.update""#))
        }
    }
}

/// Records the requests that it receives.
private final class NotingEngine: SendingEngine {
    static let status = MasterStatus(
        pid: 1, uptimeSeconds: 2, state: "running", unrecorded: 3, waitingRanges: 4, children: [],
        accounts: [])

    private let noted = Mutex<[String]>([])
    private let isHeld = Mutex(false)

    var notes: [String] { noted.withLock(\.self) }
    func hold() { isHeld.withLock { $0 = true } }
    func release() { isHeld.withLock { $0 = false } }
    private func note(_ text: String) { noted.withLock { $0.append(text) } }

    var isRunning: Bool { true }
    func status() throws -> MasterStatus? {
        note("status")
        while isHeld.withLock(\.self) { usleep(1_000) }
        return Self.status
    }
    private let wokenUp = Mutex<(@Sendable () -> Void)?>(nil)
    private let count = Mutex(0)
    /// The number of operations executed for other processes.
    var operations: Int { count.withLock(\.self) }
    func onWakeUp(_ body: @escaping @Sendable () -> Void) { wokenUp.withLock { $0 = body } }
    var mark: String { "mark" }
    func noteOperation() { count.withLock { $0 += 1 } }
    func wakeUp() {
        note("wakeUp")
        wokenUp.withLock(\.self)?()
    }
    func pauseChanged(_ delivery: DeliveryID) { note("pause \(delivery)") }
    func withdraw(_ delivery: DeliveryID) throws -> Int? { nil }
    func carryOut(_ request: ServiceRequest, for caller: String) -> CarriedOut { .notTaken }
    func gateway(of connector: ConnectorName) throws -> GatewayOrder { GatewayOrder() }
    func account(of app: App) throws -> SendingAccount { throw OperationError.noMaster }
}

internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import PushAPI
internal import PushConsole
internal import PushModel
internal import PushSystem
internal import PushWire
internal import Synchronization

/// The console: pages for people below `/console/`. This type converts requests and answers; `PushConsole`
/// does everything else, on a thread that may wait.
struct ConsoleRoutes: WebRoutes {
    private let lanes: ConsoleLanes
    private let operations: @Sendable () -> Operations
    private let rules: WebRules
    private let isSecure: Bool
    private let console = Console()

    /// - Parameter isSecure: Whether the listener uses HTTPS.
    init(
        _ lanes: ConsoleLanes, _ operations: @escaping @Sendable () -> Operations, rules: WebRules,
        isSecure: Bool
    ) {
        (self.lanes, self.operations, self.rules, self.isSecure) = (lanes, operations, rules, isSecure)
    }

    let paths = [WebPath(.get, "/"), WebPath(.get, ConsolePath.root)]

    func name(of path: String) -> String? {
        path.hasPrefix("\(ConsolePath.root)/") ? "\(ConsolePath.root)/" : nil
    }

    func add(to router: Router<WebContext>) {
        router.get("/") { _, _ in Self.response(.redirect(to: "/")) }
        router.get(RouterPath(ConsolePath.root)) { [self] in await answer($0, $1, .get) }
        router.get("\(ConsolePath.root)/**") { [self] in await answer($0, $1, .get) }
        router.post("\(ConsolePath.root)/**") { [self] in await answer($0, $1, .post) }
    }

    nonisolated(nonsending) private func answer(
        _ request: Request, _ context: WebContext, _ method: ConsoleRequest.Method
    ) async -> Response {
        guard request.uri.path != ConsolePath.root else { return Self.response(.redirect(to: "/")) }
        guard var asked = converted(request, context, method) else {
            return Self.response(ConsoleAnswer(400, line: "the address is not valid in a URL"))
        }
        let caller = asked.client.map { "\($0.site)" } ?? ""
        if method == .post {
            let type = request.headers[.contentType] ?? ""
            var limit = ConsoleRequest.maxBodyBytes(of: type)
            // Bodies with files are large, so only people who are signed in can send one, and only a few are
            // in memory at a time.
            var hint = ""
            if limit > FormFields.maxBytes {
                guard let hasSession = await hasSession(asked, caller) else { return Self.response(.busy) }
                if !hasSession {
                    limit = FormFields.maxBytes
                    hint = " without a session; sign in, and submit the form again"
                }
            }
            let isLarge = limit > FormFields.maxBytes
            guard !isLarge || lanes.uploads.enter(caller) else { return Self.response(.busy) }
            defer { if isLarge { lanes.uploads.leave(caller) } }
            do {
                let body = try await request.body.collect(upTo: limit)
                guard asked.read(body: Array(body.readableBytesView), type: type) else {
                    return Self.response(ConsoleAnswer(400, line: "the body is not a valid form"))
                }
            } catch is NIOTooManyBytesError {
                return Self.response(
                    ConsoleAnswer(413, line: "the form exceeds the maximum of \(limit) bytes\(hint)"))
            } catch {
                return Self.response(ConsoleAnswer(400, line: "the form is incomplete; submit it again"))
            }
            return Self.response(await carryOut(asked, caller))
        }
        return Self.response(await carryOut(asked, caller))
    }

    nonisolated(nonsending) private func carryOut(
        _ request: ConsoleRequest, _ caller: String
    ) async -> ConsoleAnswer {
        await run(on: lanes.lane(of: console.work(of: request)), caller, orRefuse: .busy) {
            [console, operations] in
            console.answer(request, operations: operations())
        }
    }

    /// - Returns: `nil` if there are too many requests.
    nonisolated(nonsending) private func hasSession(
        _ request: ConsoleRequest, _ caller: String
    ) async -> Bool? {
        await run(on: lanes.pages, caller, orRefuse: nil) { [console, operations] in
            console.hasSession(request, operations: operations())
        }
    }

    /// Runs work on a thread of a lane when it is the caller's turn.
    nonisolated(nonsending) private func run<Value: Sendable>(
        on lane: WorkLane, _ caller: String, orRefuse refusal: Value,
        _ work: @escaping @Sendable () -> Value
    ) async -> Value {
        guard lane.enter(caller) else { return refusal }
        defer { lane.leave(caller) }
        return await withCheckedContinuation { continuation in
            lane.submit(of: caller) {
                continuation.resume(returning: work())
            } orRefuse: { _ in
                continuation.resume(returning: refusal)
            }
        }
    }

    /// - Returns: `nil` if the address is not valid.
    private func converted(
        _ request: Request, _ context: WebContext, _ method: ConsoleRequest.Method
    ) -> ConsoleRequest? {
        func header(_ name: String) -> [String] {
            if name == "host" { return request.head.authority.map { [$0] } ?? [] }
            return HTTPField.Name(name).map { request.headers[values: $0] } ?? []
        }
        guard
            var asked = ConsoleRequest(
                method, path: request.uri.path.utf8, query: (request.uri.query ?? "").utf8, header: header)
        else { return nil }
        let proxies = rules.now.trustedProxies
        let forwarded = header("x-forwarded-for")
        asked.isSecure = isSecure
        guard let peer = context.peer else { return asked }
        asked.client = ClientAddress.of(peer: peer, forwarded: forwarded, trusting: proxies)
        if proxies.contains(where: { $0.contains(peer) }) {
            // The proxy appends to what a client sends; the last value is its own.
            let scheme = header("x-forwarded-proto").last?.split(separator: ",").last
            asked.isSecure = isSecure || scheme?.filter { $0 != " " }.lowercased() == "https"
            asked.hosts += header("x-forwarded-host")
            if let name = rules.now.personHeader { asked.statedPeople = header(name) }
        }
        // A proxy that is not trusted may serve browsers on other machines.
        let isProxied = !forwarded.isEmpty || !header("forwarded").isEmpty || !header("via").isEmpty
        asked.isLocal =
            peer.isLoopback && (asked.client?.isLoopback ?? false) && !isProxied
            && Self.isLoopback(host: asked.hosts.first)
        return asked
    }

    /// Whether a browser that uses this host connects to its own machine. A proxy that adds no header to its
    /// requests is noticed by the host only.
    private static func isLoopback(host: String?) -> Bool {
        guard let host = host?.lowercased() else { return false }
        let isV6 = host.first == "["
        let name = isV6 ? String(host.dropFirst().prefix { $0 != "]" }) : String(host.prefix { $0 != ":" })
        if let address = IPAddress(name) {
            // The service prints the address on which it listens. A connection to the unspecified address
            // leads to the own machine.
            return address.isLoopback || ["0.0.0.0", "::"].contains(name)
        }
        return name == "localhost" || name.hasSuffix(".localhost")
    }

    private static func response(_ answer: ConsoleAnswer) -> Response {
        var fields = HTTPFields()
        for field in answer.fields {
            if let name = HTTPField.Name(field.name) {
                fields.append(HTTPField(name: name, value: field.value))
            }
        }
        return Response(
            status: HTTPResponse.Status(code: answer.status), headers: fields,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
    }
}

extension ConsoleAnswer {
    fileprivate static var busy: ConsoleAnswer {
        ConsoleAnswer(503, line: "too many requests are being answered; try again in a moment")
    }
}

/// The threads that render pages, those for requests that take long, those that wait for the provider with
/// which people sign in, and the one that checks passwords. They are separate from those of the API, so that
/// people and programs do not wait for each other.
final class ConsoleLanes: Sendable {
    private static let (pageThreads, lengthyThreads, providerThreads) = (2, 2, 2)
    static let threads = pageThreads + lengthyThreads + providerThreads + 1

    let pages = WorkLane(
        threads: pageThreads, QueueLimits(slots: 200, slotsForEachCaller: 10, maxWait: .seconds(10)))
    let passwords = WorkLane(
        threads: 1, QueueLimits(slots: 32, slotsForEachCaller: 2, maxWait: .seconds(10)))
    let lengthy = WorkLane(
        threads: lengthyThreads, QueueLimits(slots: 20, slotsForEachCaller: 2, maxWait: .seconds(30)))
    let providers = WorkLane(
        threads: providerThreads, QueueLimits(slots: 20, slotsForEachCaller: 2, maxWait: .seconds(30)))
    let uploads = UploadSlots()

    private var all: [WorkLane] { [pages, passwords, lengthy, providers] }

    func lane(of work: Console.Work) -> WorkLane {
        switch work {
        case .page: pages
        case .lengthy: lengthy
        case .password: passwords
        case .provider: providers
        }
    }

    func sweep() { for lane in all { lane.sweep() } }
    func close() { for lane in all { lane.close() } }
}

/// The slots of bodies with files. Unlike the slots of a ``FairQueue``, their number is never exceeded,
/// because each of them is memory.
package final class UploadSlots: Sendable {
    package static let (maxSlots, maxOfCaller) = (4, 2)

    private let callers = Mutex<[String: Int]>([:])

    package init() {}

    /// Takes a slot.
    /// - Returns: `false` if this caller must try again later.
    package func enter(_ caller: String) -> Bool {
        callers.withLock { callers in
            let own = callers[caller] ?? 0
            guard own < Self.maxOfCaller, callers.values.reduce(0, +) < Self.maxSlots else { return false }
            callers[caller] = own + 1
            return true
        }
    }

    package func leave(_ caller: String) {
        callers.withLock { callers in
            let left = (callers[caller] ?? 0) - 1
            callers[caller] = left > 0 ? left : nil
        }
    }
}

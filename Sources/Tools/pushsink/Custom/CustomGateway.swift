/// A receiver of connector `custom`, as defined in Docs/Send/CustomConnector.md: the state that all its
/// connections share.
///
/// **Promises.** An accepted message is in the log and in the counts before its answer is passed to TLS.
/// **Failures.** None: faults of requests result in answers. **Neighbours.** ``CustomBatch`` reads requests.
final class CustomGateway: HTTPGateway {
    let fields: [RequestField] = [.method, .path, .authorization]
    let identifierField: StaticString? = nil
    /// Space for a batch that was almost full, plus the message that filled it.
    let keptBody: UInt32 = 2 << 20

    /// The complete value of `authorization`.
    let authorization: [UInt8]
    let counts: SinkCounts
    let log: RequestLog?
    let document = JSONDocument()
    fileprivate var behaviours: [any GatewayBehaviour]

    init(secret: String, behaviours: [any GatewayBehaviour], counts: SinkCounts, log: RequestLog?) {
        authorization = Array("Bearer \(secret)".utf8)
        counts.seen.messages = 0
        counts.seen.resultErrors = [:]
        (self.behaviours, self.counts, self.log) = (behaviours, counts, log)
    }

    func handler(for caller: Caller) -> any HTTPRequestHandler { CustomRequestHandler(self, caller) }
}

/// A batch that is valid as a whole. Each of its messages has its own verdict.
struct CustomBatch {
    struct Message {
        let id: String
        let token: String
        var verdict = "accepted"
        var seconds: Int?
    }

    static let maxMessages = 1_000
    var messages: [Message] = []

    /// - Returns: `nil` if the body is not a valid batch.
    init?(_ body: Bytes, length: UInt64, _ document: JSONDocument) {
        guard length <= UInt64(body.count), document.read(body), document.kind(document.root) == .object
        else { return nil }
        let root = document.root
        func isText(_ name: StaticString) -> Bool {
            document.member(name, of: root).map { document.kind($0) == .text } ?? false
        }
        guard let version = document.member("version", of: root), document.text(version) == "1",
            isText("platform"), isText("environment"), isText("bundleId"), isText("deliveryId"),
            let list = document.member("messages", of: root), document.kind(list) == .array
        else { return nil }
        for node in document.elements(of: list) {
            guard let id = document.member("id", of: node), document.kind(id) == .text,
                document.length(id) == 36, let token = document.member("token", of: node),
                document.kind(token) == .text, let payload = document.member("payload", of: node),
                document.kind(payload) == .object
            else { return nil }
            messages.append(Message(id: document.text(id), token: document.text(token)))
        }
        guard (1...Self.maxMessages).contains(messages.count) else { return nil }
    }

    var json: String {
        let verdicts = messages.map { message in
            let seconds = message.seconds.map { ",\"seconds\":\($0)" } ?? ""
            return #"{"id":"\#(message.id)","verdict":"\#(message.verdict)"\#(seconds)}"#
        }
        return #"{"verdicts":[\#(verdicts.joined(separator: ","))]}"#
    }

    func count(in counts: SinkCounts) {
        for message in messages {
            if message.verdict == "accepted" {
                Array(message.token.utf8).withUnsafeBufferPointer { counts.took($0) }
            } else {
                counts.seen.resultErrors?[message.verdict, default: 0] += 1
            }
        }
    }
}

/// The receiver on one connection: checks each request and writes its answer.
private final class CustomRequestHandler: HTTPRequestHandler {
    private let gateway: CustomGateway
    private let caller: Caller
    /// The decisions on requests that wait for their answer.
    private var batches: [Int32: CustomBatch] = [:]

    init(_ gateway: CustomGateway, _ caller: Caller) {
        self.gateway = gateway
        self.caller = caller
    }

    var streamsAtFirst: UInt32 { 100 }

    func decide(_ request: HTTPRequest, at now: Instant) -> SinkAnswer {
        guard request.value(.method)?.equals("POST") == true else {
            return .reject(Rejection(status: 405, reason: "MethodNotAllowed"))
        }
        guard request.value(.authorization)?.equals(gateway.authorization) == true else {
            return .reject(Rejection(status: 401, reason: "Unauthorized"))
        }
        guard var batch = CustomBatch(request.body, length: request.bodyLength, gateway.document) else {
            return .reject(Rejection(status: 400, reason: "BadBatch"))
        }
        var answer = SinkAnswer.accept
        for index in batch.messages.indices {
            let said = Array(batch.messages[index].token.utf8).withUnsafeBufferPointer {
                gateway.behaviours.behave(
                    SinkRequest(
                        device: $0, connection: caller.connection, stream: request.stream, api: .custom),
                    at: now)
            }
            answer.merge(said)
            switch said.act {
            case .accept: break
            case .reject(let rejection) where rejection.status == 200:
                batch.messages[index].verdict = rejection.reason
                if case .seconds(let seconds)? = rejection.retryAfter {
                    batch.messages[index].seconds = seconds
                }
            // This answer concerns the whole request and not one message. The first such answer decides.
            default: return said
            }
        }
        batches[request.stream] = batch
        return answer
    }

    func compose(_ request: HTTPRequest, _ rejection: Rejection?) -> HTTPReply {
        if let rejection {
            return HTTPReply(
                rejection,
                orElse: Rejection.ErrorBody(content: .json, text: #"{"error":"\#(rejection.reason)"}"#))
        }
        return HTTPReply(status: 200, json: batches[request.stream]?.json ?? #"{"verdicts":[]}"#)
    }

    func record(_ request: HTTPRequest, _ ending: RequestOutcome, at now: Instant) {
        gateway.counts.ended(ending, device: nil, idHash: 0, at: now)
        let batch = batches.removeValue(forKey: request.stream)
        if ending == .accepted { batch?.count(in: gateway.counts) }
        guard let batch else { return }
        gateway.log?.write(request, ending, batch, caller)
    }
}

extension SinkAnswer {
    /// Combines the answers to several messages of one request.
    fileprivate mutating func merge(_ other: SinkAnswer) {
        delay = max(delay, other.delay)
        damage = damage ?? other.damage
        drip = drip ?? other.drip
        fault = fault ?? other.fault
        if let streams = other.streams { (self.streams, streamsFor) = (streams, other.streamsFor) }
    }
}

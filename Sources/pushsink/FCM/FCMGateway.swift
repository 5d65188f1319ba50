/// FCM, v1 and legacy, as a gateway over HTTP: what all its connections share.
///
/// **Promises.** As ``APNsGateway``: an accepted message is in the log and in the counts before its answer is
/// handed to TLS. **Failures.** None of its own: faults of requests are answers.
/// **Neighbours.** ``FCMContract`` and ``LegacyContract`` read requests, ``AccessTokens`` knows who may send.
package final class FCMGateway: HTTPGateway {
    package struct Settings {
        /// "Google front ends usually advertise 100".
        package var streams: UInt32 = 100
        /// Before every answer.
        package var delay: Instant.Span = .zero
        /// 0: no limit.
        package var messagesPerMinute = 0

        package init() {}
    }

    package let fieldNames = FCMField.allCases.map(\.name)
    package let identifierField: StaticString? = nil
    /// A thousand tokens of two hundred bytes, and a payload.
    package let keptBody: UInt32 = 512 * 1024

    let settings: Settings
    let contract: FCMContract
    let legacyContract = LegacyContract()
    let project: [UInt8]
    /// Of the legacy API: the whole value of `authorization`.
    let legacyAuthorization: [UInt8]
    let tokens: AccessTokens
    let counts: SinkCounts
    let log: RequestLog?
    let document = JSONDocument()
    var quota: QuotaBucket
    private var behaviours: [any GatewayBehaviour]
    private var messagesSoFar = 0
    /// Ends every message's name and tells the messages of this sink from those of its predecessors.
    private let instance = String(UInt32.random(in: 0...UInt32.max), radix: 16)
    private let nameFront: String

    package init(
        settings: Settings, contract: FCMContract, project: String, legacyKey: String, tokens: AccessTokens,
        behaviours: [any GatewayBehaviour], counts: SinkCounts, log: RequestLog?
    ) {
        self.settings = settings
        self.contract = contract
        self.project = Array(project.utf8)
        nameFront = #"{"name":"projects/\#(project)/messages/"#
        legacyAuthorization = Array("key=\(legacyKey)".utf8)
        self.tokens = tokens
        self.behaviours = behaviours
        self.counts = counts
        self.log = log
        quota = QuotaBucket(perMinute: settings.messagesPerMinute)
    }

    package func handler(for caller: Caller) -> any HTTPRequestHandler { FCMRequestHandler(self, caller) }

    /// What the behaviours say; no opinion is consent.
    func behave(_ request: SinkRequest, at now: Instant) -> SinkAnswer {
        for index in behaviours.indices {
            if let answer = behaviours[index].answer(request, at: now) { return answer }
        }
        return .accept
    }

    /// The answer to an accepted v1 request.
    func name(validatedOnly: Bool) -> String {
        validatedOnly ? nameFront + "fake_message_id\"}" : "\(nameFront)0:\(nextMessage())%\(instance)\"}"
    }

    /// A number for a message, no two alike.
    func nextMessage() -> Int {
        messagesSoFar += 1
        return messagesSoFar
    }
}

/// The requirements of FCM's legacy HTTP API for a request's body. Google has shut the API down, but private
/// gateways and tests still use it.
package enum LegacyContract {
    /// A request that is valid as a whole. Each of its tokens has its own result.
    package struct Message: Equatable {
        /// The nodes of the tokens, in the order of the request.
        package var tokens: [Int]
        /// Whether the only target is a topic or a condition. The answer then has one message id and no
        /// results.
        package var isTopic = false
        package var dryRun = false
        /// The error that applies to every token.
        package var error: String?
    }

    package enum Judgement: Equatable {
        case good(Message)
        case fault(Rejection)
    }

    package static let maxTokens = 1000
    private static let payloadLimit = 4096

    /// Checks a body. The parameters have the same meaning as those of ``FCMContract/judge(_:length:_:)``.
    package static func judge(_ body: Bytes, length: UInt64, _ document: JSONDocument) -> Judgement {
        guard length <= UInt64(body.count), document.read(body), document.kind(document.root) == .object
        else { return badRequest("JSON_PARSING_ERROR") }
        let invalid = badRequest("InvalidParameters")
        let root = document.root
        let to = document.member("to", of: root), ids = document.member("registration_ids", of: root)
        let condition = document.member("condition", of: root)
        guard [to, ids, condition].compactMap({ $0 }).count <= 1 else { return invalid }
        var message = Message(tokens: [])
        if let ids {
            guard document.kind(ids) == .array else { return invalid }
            message.tokens = Array(document.elements(of: ids))
            guard (1...maxTokens).contains(message.tokens.count),
                message.tokens.allSatisfy({ document.kind($0) == .text })
            else { return invalid }
        } else if let target = to ?? condition {
            guard document.kind(target) == .text else { return invalid }
            message.tokens = [target]
            message.isTopic = condition != nil || document.raw(target).starts(with: "/topics/")
        } else {
            message.error = "MissingRegistration"
        }
        message.dryRun = document.member("dry_run", of: root).map { document.kind($0) == .yes } ?? false
        for name in ["data", "notification"] as [StaticString] {
            guard let part = document.member(name, of: root) else { continue }
            guard document.kind(part) == .object else { return invalid }
        }
        message.error = message.error ?? fault(document)
        return .good(message)
    }

    /// Returns the fault of the message, apart from faults of its target.
    private static func fault(_ document: JSONDocument) -> String? {
        let root = document.root
        if let ttl = document.member("time_to_live", of: root) {
            guard document.kind(ttl) == .number, let seconds = Int(document.text(ttl)),
                (0...FCMSchema.maxSeconds).contains(seconds)
            else { return "InvalidTtl" }
        }
        if let name = document.member("restricted_package_name", of: root), document.kind(name) != .text {
            return "InvalidPackageName"
        }
        var size = 0
        let data = document.member("data", of: root)
        for part in [data, document.member("notification", of: root)].compactMap({ $0 }) {
            for (key, value) in document.members(of: part) {
                if part == data, FCMShape.isReserved(document, key) { return "InvalidDataKey" }
                size += document.length(key) + document.length(value)
            }
        }
        return size > payloadLimit ? "MessageTooBig" : nil
    }

    private static func badRequest(_ reason: String) -> Judgement {
        let words = Rejection.ErrorBody(content: .plain, text: reason + "\n")
        return .fault(Rejection(status: 400, reason: reason, words: words))
    }
}

/// A legacy request that is answered with 200: a result for each of its tokens, in their order.
struct LegacyBatch {
    enum Result {
        case accepted(Int, canonical: String?)
        case error(String)
    }

    let isTopic: Bool
    let dryRun: Bool
    /// The ranges of the tokens in the body.
    var tokens: [Range<Int>] = []
    var results: [Result] = []
    /// Whether a rule leaves out one result.
    var isShort = false

    func json() -> String {
        if isTopic, let only = results.first {
            switch only {
            case .accepted(let number, _): return #"{"message_id":\#(number)}"#
            case .error(let error): return #"{"error":"\#(error)"}"#
            }
        }
        var canonicals = 0
        var list = ""
        for result in isShort ? results.dropLast() : results[...] {
            if !list.isEmpty { list += "," }
            switch result {
            case .accepted(let number, let canonical):
                list += dryRun ? #"{"message_id":"fake_message_id""# : #"{"message_id":"0:\#(number)""#
                if let canonical {
                    canonicals += 1
                    list += #","registration_id":\#(JSONText.quoted(canonical))"#
                }
                list += "}"
            case .error(let error): list += #"{"error":"\#(error)"}"#
            }
        }
        // The answer's counts cover all results, even if one result is left out. The answer is therefore
        // inconsistent, as intended.
        let failure = results.count - results.filter { if case .accepted = $0 { true } else { false } }.count
        return #"{"multicast_id":\#(UInt64.random(in: 1...(1 << 62))),"success":\#(results.count - failure),"#
            + #""failure":\#(failure),"canonical_ids":\#(canonicals),"results":[\#(list)]}"#
    }

    func count(in counts: SinkCounts, _ body: Bytes) {
        for (index, result) in results.enumerated() {
            switch result {
            case .accepted(_, let canonical):
                if canonical != nil { counts.seen.canonicalIDs? += 1 }
                if dryRun {
                    counts.seen.validatedOnly? += 1
                } else {
                    counts.took(isTopic ? nil : token(index, body))
                }
            case .error(let error): counts.seen.resultErrors?[error, default: 0] += 1
            }
        }
    }

    /// Returns a token; empty if the request has no token with this index.
    func token(_ index: Int, _ body: Bytes) -> Bytes {
        guard tokens.indices.contains(index), tokens[index].upperBound <= body.count else {
            return .empty
        }
        return Bytes(rebasing: body[tokens[index]])
    }
}

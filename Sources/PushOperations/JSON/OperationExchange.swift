internal import FoundationEssentials
internal import PushWire

/// Short operations as bytes: one process asks, and the process that has the instance open performs them.
///
///     {"operation": "service.create", "caller": "command of user 0",
///     "request": {"name": "neotrips", "label": null}}
///     {"answer": {"name": "neotrips", "label": "neotrips", "frequencyCap": null, "apps": []}}
///     {"error": {"kind": "refused", "lines": ["there is already a service named neotrips; choose another
///     name"]}}
package enum OperationExchange {
    /// Every use case that may travel.
    package static let all: [any ShortOperation.Type] = [
        CreateService.self, UpdateService.self, ListServices.self, ShowService.self, DeleteService.self,
        CreateApp.self, UpdateApp.self, ListApps.self, ShowApp.self, ShowAppIcon.self,
        CountSubscribers.self, ShowSubscribers.self, RemoveSubscribers.self,
        SubmitDelivery.self, PreviewDelivery.self, ProofDelivery.self,
        ListDeliveries.self, ShowDelivery.self, ShowDeliveryStorms.self,
        PauseDelivery.self, ResumeDelivery.self, StopDelivery.self, WithdrawDelivery.self,
        RecallDelivery.self,
        RecountDelivery.self, ReleaseDeliveries.self,
        ShowDeliveryStatistics.self, ShowServiceStatistics.self, SendMessages.self, ShowMessage.self,
        ListQuarantine.self, ShowStorms.self,
        CreateAccessToken.self, RevokeAccessToken.self, FirstAccessToken.self,
        CreateWebhook.self, UpdateWebhook.self, RotateWebhookSecret.self, DeleteWebhook.self,
        ListWebhooks.self, ShowWebhook.self, TestWebhook.self,
        SaveTemplate.self, DeleteTemplate.self, ListTemplates.self, ShowTemplate.self,
        ResumeAccount.self, ListHosts.self, DrainHost.self, ShowStatus.self, ExplainApp.self,
        ShowConfiguration.self,
        ReloadConfiguration.self,
        StopEngine.self,
    ]

    /// - Parameter caller: who asks, for the audit trail.
    package static func request<Use: ShortOperation>(
        _ operation: Use, of caller: String
    ) throws -> [UInt8] {
        bytes([
            "operation": .string(Use.name), "caller": .string(caller),
            "request": try JSONValue(encoding: operation),
        ])
    }

    /// Carries out what the bytes ask for, here. Whatever they hold, there is an answer.
    package static func answer(to request: [UInt8], in operations: Operations) -> [UInt8] {
        do {
            let request = try decoded(Request.self, from: request)
            return bytes([
                "answer": try answer(to: request.operation, in: operations.with(caller: request.caller))
            ])
        } catch {
            return bytes(of: error)
        }
    }

    /// The same, which need not wait for what others are doing: the answer is given once, perhaps on another thread.
    package static func answer(
        to request: [UInt8], in operations: Operations, then: @escaping @Sendable ([UInt8]) -> Void
    ) {
        do {
            let request = try decoded(Request.self, from: request)
            let operations = operations.with(caller: request.caller)
            if let operation = request.operation as? any DeferredOperation {
                return begin(operation, in: operations, then: then)
            }
            then(bytes(["answer": try answer(to: request.operation, in: operations)]))
        } catch {
            then(bytes(of: error))
        }
    }

    private static func begin(
        _ operation: some DeferredOperation, in operations: Operations,
        then: @escaping @Sendable ([UInt8]) -> Void
    ) {
        operation.begin(in: operations) { result in
            do { then(bytes(["answer": try JSONValue(encoding: try result.get())])) } catch {
                then(bytes(of: error))
            }
        }
    }

    private static func bytes(of error: any Error) -> [UInt8] {
        let error = error is DecodingError ? malformed : OperationError(error)
        return bytes(["error": (try? JSONValue(encoding: error)) ?? .null])
    }

    /// The answer of whoever serves the store; nil where nothing was done, so that it is to be done here.
    static func answer<Use: ShortOperation>(
        to operation: Use, of caller: String, lookAfterwards: String, by carryOut: ([UInt8]) -> CarriedOut
    ) throws(OperationError) -> Use.Answer? {
        guard let request = try? request(operation, of: caller) else { return nil }
        let unknown = OperationError.failed(
            "the running master was asked for this and did not say what became of it, so it may have been done or not: "
                + "look at 'pushmta \(lookAfterwards)' before you ask again")
        switch carryOut(request) {
        case .notTaken: return nil
        case .unknown: throw unknown
        case .answer(let bytes):
            guard let reply = try? decoded(Reply<Use.Answer>.self, from: bytes) else { throw unknown }
            if let answer = reply.answer { return answer }
            // Not a word about the operation itself: another version does not know it, or the master's disk
            // is full.
            guard let error = reply.error else { throw unknown }
            if error.kind == .usage || error.kind == .unavailable { return nil }
            throw error
        }
    }

    private static func answer(to operation: some ShortOperation, in operations: Operations) throws
        -> JSONValue
    {
        try JSONValue(encoding: try operations.carryOutHere(operation))
    }

    private static let named = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    private struct Request: Decodable {
        let operation: any ShortOperation
        /// nil: a command of an earlier version asks.
        let caller: String?

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Key.self)
            let name = try members.decode(String.self, forKey: .operation)
            guard let use = named[name] else {
                throw OperationError(.usage, "there is no operation \(name) in this version")
            }
            operation = try members.decode(use, forKey: .request)
            caller = try members.decodeIfPresent(String.self, forKey: .caller)
        }

        private enum Key: CodingKey { case operation, caller, request }
    }
    private struct Reply<Answer: Decodable>: Decodable {
        var answer: Answer?
        var error: OperationError?
    }

    private static let malformed = OperationError(.usage, "the request is malformed")

    private static func decoded<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        try JSONDecoder().decode(type, from: Data(bytes))
    }

    private static func bytes(_ value: JSONValue) -> [UInt8] {
        var bytes: [UInt8] = []
        value.append(to: &bytes)
        return bytes
    }
}

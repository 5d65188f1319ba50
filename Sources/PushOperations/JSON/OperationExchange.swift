internal import FoundationEssentials
internal import PushWire

/// Short operations as bytes: somebody asks, whoever has the instance open carries it out and answers.
///
///     {"operation": "service.create", "request": {"name": "neotrips", "label": null}}
///     {"answer": {"name": "neotrips", "label": "neotrips", "apps": []}}
///     {"error": {"kind": "refused", "lines": ["there is already a service named neotrips; choose another name"]}}
package enum OperationExchange {
    /// Every use case that may travel.
    package static let all: [any ShortOperation.Type] = [
        CreateService.self, UpdateService.self, ListServices.self, ShowService.self, DeleteService.self,
        CreateApp.self, UpdateApp.self, ListApps.self, ShowApp.self,
        CountSubscribers.self, ShowSubscribers.self, RemoveSubscribers.self,
        SubmitDelivery.self, ListDeliveries.self, ShowDelivery.self, ShowDeliveryStorms.self, RecountDelivery.self,
        ListQuarantine.self, ShowStorms.self,
        ShowStatus.self, ExplainApp.self, ShowConfiguration.self,
    ]

    package static func request<Use: ShortOperation>(_ operation: Use) throws -> [UInt8] {
        bytes(["operation": .string(Use.name), "request": try JSONValue(encoding: operation)])
    }

    /// Carries out what the bytes ask for. Whatever they hold, there is an answer.
    package static func answer(to request: [UInt8], in operations: Operations) -> [UInt8] {
        do {
            let named = try decoded(Name.self, from: request)
            guard let use = all.first(where: { $0.name == named.operation }) else {
                throw OperationError(.usage, "there is no operation \(named.operation) in this version")
            }
            return bytes(["answer": try answer(use, to: request, in: operations)])
        } catch {
            let error = error is DecodingError ? malformed : OperationError(error)
            return bytes(["error": (try? JSONValue(encoding: error)) ?? .null])
        }
    }

    /// The answer of whoever serves the store; nil where nothing was done, so that it is to be done here.
    static func answer<Use: ShortOperation>(
        to operation: Use, lookAfterwards: String, by engine: any SendingEngine
    ) throws(OperationError) -> Use.Answer? {
        guard let request = try? request(operation) else { return nil }
        let unknown = OperationError.failed(
            "the running master was asked for this and did not say what became of it, so it may have been done or not: "
                + "look at 'pushmta \(lookAfterwards)' before you ask again")
        switch engine.carryOut(request) {
        case .notTaken: return nil
        case .unknown: throw unknown
        case .answer(let bytes):
            guard let reply = try? decoded(Reply<Use.Answer>.self, from: bytes) else { throw unknown }
            if let answer = reply.answer { return answer }
            // Not a word about the operation itself: another version does not know it, or the master's disk is full.
            guard let error = reply.error else { throw unknown }
            if error.kind == .usage || error.kind == .unavailable { return nil }
            throw error
        }
    }

    /// What somebody answered.
    package static func answer<Use: ShortOperation>(
        of use: Use.Type, from bytes: [UInt8]
    ) throws(OperationError) -> Use.Answer {
        guard let reply = try? decoded(Reply<Use.Answer>.self, from: bytes) else {
            throw .failed("what was answered to \(Use.name) cannot be understood; are both of one version?")
        }
        if let error = reply.error { throw error }
        guard let answer = reply.answer else { throw .failed("\(Use.name) was not answered") }
        return answer
    }

    private static func answer<Use: ShortOperation>(
        _ use: Use.Type, to request: [UInt8], in operations: Operations
    ) throws -> JSONValue {
        let operation = try decoded(Request<Use>.self, from: request).request
        return try JSONValue(encoding: try operations.carryOut(operation))
    }

    private struct Name: Decodable { var operation: String }
    private struct Request<Use: ShortOperation>: Decodable { var request: Use }
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

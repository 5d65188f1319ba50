import PushAPI
import PushModel
import PushWire

/// Answers requests for use cases as a service would, without a socket.
struct RequestAnswers: Sendable {
    let operations: Operations

    func callAsFunction(_ request: ServiceRequest, for caller: String = "a test") -> CarriedOut {
        .answer(reply(to: request, for: caller))
    }

    func reply(to request: ServiceRequest, for caller: String = "a test") -> ServiceReply {
        let parts = request.target.split(separator: "?", maxSplits: 1)
        guard let address = APIAddress(path: (parts.first ?? "").utf8, query: parts.dropFirst().joined().utf8)
        else { return problem(OperationError(.usage, "no address")) }
        for type in UseCases.all {
            if let reply = reply(type, request, address, operations.with(caller: caller)) { return reply }
        }
        return ServiceReply(status: 404, body: Array(#"{"code": "notFound"}"#.utf8))
    }

    private func reply<Use: UseCase>(
        _ type: Use.Type, _ request: ServiceRequest, _ address: APIAddress, _ operations: Operations
    ) -> ServiceReply? {
        for operation in Use.operations where operation.method.rawValue.uppercased() == request.method {
            guard let names = APIPattern(operation.path).match(address.segments) else { continue }
            do throws(OperationError) {
                let query = Dictionary(address.query.map { ($0.name, $0.value) }) { first, _ in first }
                var use = try Use.request(
                    names: names.merging(operation.given) { name, _ in name }, query: query,
                    body: request.body)
                if var keyed = use as? any KeyedUseCase {
                    keyed.idempotencyKey = request.idempotencyKey
                    use = keyed as? Use ?? use
                }
                return success(try use.carryOut(by: operations), operation.status)
            } catch {
                return problem(error)
            }
        }
        return nil
    }

    private func success(_ answer: some Described, _ status: Int) -> ServiceReply {
        var (json, bytes): (JSONValue, [UInt8]) = (answer.json ?? .null, [])
        if case .array = json { json = ["items": json, "next": .null] }
        json.append(to: &bytes)
        return ServiceReply(status: status, body: bytes)
    }

    private func problem(_ error: OperationError) -> ServiceReply {
        var bytes: [UInt8] = []
        let problem = Problem(error.kind.code, title: "", errors: error.lines)
        (problem.json ?? .null).append(to: &bytes)
        return ServiceReply(status: 422, body: bytes)
    }
}

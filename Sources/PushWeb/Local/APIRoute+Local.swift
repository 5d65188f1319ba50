internal import Glibc
internal import HTTPTypes
internal import PushModel
internal import PushOperations
internal import PushWire

extension APIRouteTable {
    static let local = APIRouteTable(APIRoute.all + APIRoute.local)
}

extension APIRoute {
    /// What commands ask on the Unix socket beyond the API. `operations` carries what has no route of its own yet.
    static let local = [
        APIRoute(
            .get, "/instance", .read, "The running service: which commands may leave their work to it.",
            answer: .object([.init("process", .integer), .init("mark", .string)]),
            .immediate { call in
                APIAnswer(
                    .object([
                        JSONMember(key: "process", value: .integer(Int64(getpid()))),
                        JSONMember(key: "mark", value: .string(call.instance?.mark() ?? "")),
                    ]))
            }),
        APIRoute(
            .get, "/master", .read, "What the running master is busy with.", asksMaster: true, answer: .any,
            .immediate { APIAnswer(try JSONValue(encoding: try $0.operations.engine.status())) }),
        APIRoute(
            .post, "/nudge", .send, "There may be work.", answer: .object([]),
            .immediate { call in
                call.operations.engine.nudge()
                return APIAnswer(.object([]))
            }),
        APIRoute(
            .post, "/deliveries/{id}/look", .send, "A delivery was paused or continues.", answer: .object([]),
            .immediate { call in
                call.operations.engine.pauseChanged(try call.delivery())
                return APIAnswer(.object([]))
            }),
        APIRoute(
            .post, "/operations", .admin, "Performs an operation as a command does.", body: .any,
            mostBodyBytes: 1 << 20, answer: .any,
            .told(
                atOnce: { _, _ in false },
                otherwise: { call, then in
                    guard let instance = call.instance, call.ifMatch == nil || call.ifMatch == instance.mark()
                    else {
                        return then(
                            .failure(
                                APIProblem(
                                    .preconditionFailed,
                                    "the service has another version, store or configuration")))
                    }
                    instance.carryOut(call.operations, call.body) { then(.success(APIAnswer(json: $0))) }
                })),
    ]
}

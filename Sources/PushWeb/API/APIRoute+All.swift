internal import HTTPTypes
internal import PushModel
internal import PushOperations
internal import PushWire

extension APIRoute {
    /// Every route of the API, and what ``APIDocument`` says of it: a new one is an element here.
    static let all =
        UseCases.all.flatMap { routes(of: $0) } + instance + subscribers + analysis + deliveries + messages

    private static let instance = [
        APIRoute(
            .get, "/openapi.json", .read, "This description.", answer: .map(.any),
            .done { _ in APIAnswer(APIDocument.value) })
    ]

    private static let subscribers = [
        APIRoute(
            .get, "/subscribers", .read, "One device by its token, or one person's devices by the user key.",
            query: [.text("app"), .text("token"), .text("userKey"), .cursor],
            answer: .page(of: SubscriberView.schema),
            .done { call in
                do {
                    let page = try call.operations.carryOut(
                        ShowSubscribers(try who(call), app: call.query["app"], after: try call.cursor()))
                    return APIAnswer(
                        APIAnswer.page(try JSONValue(encoding: page.entries), next: page.next.map { "\($0)" })
                    )
                } catch {
                    guard OperationError(error).isNobody else { throw error }
                    return APIAnswer(APIAnswer.page(.array([]), next: nil))
                }
            }),
        APIRoute(
            .delete, "/subscribers", .admin,
            "Removes one device, or all devices of one person; with erase=true also from logs and targets.",
            query: [.text("app"), .text("token"), .text("userKey"), .flag("erase")], mayContinue: true,
            answer: .object([
                .init("state", .words(["done", "running"]), isRequired: false),
                .init("removed", .integer), .init("remembered", .integer, isRequired: false),
                .init("listed", .integer, isRequired: false),
                .init("unreadableParts", .integer, isRequired: false),
            ]),
            kind: .lengthy,
            .told(
                atOnce: { _, _ in false },
                otherwise: { call, then in
                    do {
                        let (erases, app, who) = (try call.flag("erase"), call.query["app"], try who(call))
                        guard !erases || app == nil else {
                            throw OperationError(.usage, "erase=true applies to all apps; leave app out")
                        }
                        guard erases else {
                            return then(orNobody { try call.carryOut(RemoveSubscribers(who, app: app)) })
                        }
                        erasure.erase(who, in: call.operations) { answer in
                            then(orNobody { try erased(try answer.get()) })
                        }
                    } catch {
                        then(.failure(error))
                    }
                })),
    ]

    private static let erasure = ErasureRunner()

    /// An erasure that continues is answered with 202.
    private static func erased(_ step: ErasureRunner.Answer) throws -> APIAnswer {
        let (state, figures) =
            switch step {
            case .done(let done): ("done", done)
            case .running(let progress): ("running", progress)
            }
        guard case .object(let members) = try JSONValue(encoding: figures) else { return APIAnswer(.null) }
        var answer = APIAnswer(
            .object([JSONMember(key: "state", value: .string(state))] + members))
        if case .running = step { answer.status = .accepted }
        return answer
    }

    private static func orNobody(_ work: () throws -> APIAnswer) -> Result<APIAnswer, any Error> {
        Result {
            do { return try work() } catch {
                guard OperationError(error).isNobody else { throw error }
                return APIAnswer(.object([JSONMember(key: "removed", value: .integer(0))]))
            }
        }
    }

    private static func who(_ call: APICall) throws(OperationError) -> SubscriberName {
        switch (call.query["token"], call.query["userKey"]) {
        case (let token?, nil): return .token(token)
        case (nil, let key?): return .userKey(key)
        default: throw OperationError(.usage, "give one of token and userKey")
        }
    }
}

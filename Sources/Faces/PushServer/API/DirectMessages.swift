internal import HTTPTypes
internal import NIOCore
internal import PushAPI
internal import PushModel

/// The fast path of `POST /api/v1/messages`, used if the caller's token is known and the message requires no
/// reads from the store. It has the same effect as ``APIRoutes``, but needs no task.
struct DirectMessages: DirectRoute {
    let operations: @Sendable () -> Operations
    let executor: APIExecutor
    private let route: APIRoute?
    let maxBodyBytes = SendMessages.smallBytes

    private static let path = "\(APIRoutes.root)/messages"

    init(operations: @escaping @Sendable () -> Operations, executor: APIExecutor) {
        (self.operations, self.executor) = (operations, executor)
        let found = APIRouteTable.all.routes(["messages"]).first { $0.route.method == .post }
        route = found?.route
    }

    func name(of head: HTTPRequest) -> String? {
        head.method == .post && head.path == Self.path ? Self.path : nil
    }

    func begin(_ request: DirectRequest, then: @escaping @Sendable (WebAnswer) -> Void) -> Bool {
        let headers = request.head.headerFields
        guard let route, let token = APIRoutes.token(in: headers),
            let grant = executor.tokens.knownGrant(of: token),
            route.operation.scope.map(grant.scopes.contains) != false,
            let key = try? APIRoutes.idempotencyKey(in: headers, for: route).map(Optional.some) ?? .some(nil),
            (try? APIRoutes.checkType(in: headers)) != nil,
            executor.enter(.message, grant.name)
        else { return false }
        let order = SendMessages(
            document: Array(request.body.readableBytesView), caller: "token \(grant.name)",
            idempotencyKey: key)
        let executor = executor
        let operations = grant.bounds.areSet ? operations().with(bounds: grant.bounds) : operations()
        let hasBegun = order.beginAtOnce(in: operations) { result in
            executor.leave(.message, grant.name)
            switch result {
            case .success(let sent):
                then(APIRoutes.whole(APIAnswer(to: order, sent), status: route.operation.status))
            case .failure(let error): then(APIProblem(of: error).whole)
            }
        }
        if !hasBegun { executor.leave(.message, grant.name) }
        return hasBegun
    }
}

package import PushModel
internal import PushStore
internal import PushWire

extension Operation {
    /// The objects that an operation concerns, which decides whether a caller who is bound to services can
    /// request it.
    package enum Reach: Sendable {
        /// The whole instance. The operation is refused to a caller who is bound to services.
        case instance
        /// Objects that belong to services. Everything that belongs to other services does not exist for a
        /// caller who is bound to services.
        case services
    }

    /// The kinds of objects in paths whose service is found by the object's name.
    private static let addressed: [(path: String, service: Finder)] = [
        ("/services/", { try $1.requireService(named: $0).id }),
        ("/apps/", { try $1.requireApp(named: $0).service }),
        (
            "\(SubmitDelivery.path)/",
            { text, operations in
                try Int64(text).map { try operations.requireDelivery(DeliveryID(rawValue: $0)).service }
            }
        ),
    ]
    private typealias Finder = @Sendable (_ name: String, Operations) throws -> ServiceID?

    /// How to find the service of the app, delivery or service in the path; `nil` if the path does not begin
    /// with one of these.
    private static func finder(in path: String) -> Finder? {
        addressed.first { path.hasPrefix("\($0.path){") }?.service
    }

    static func reach(ofPath path: String, isLocal: Bool) -> Reach? {
        isLocal ? .instance : finder(in: path) == nil ? nil : .services
    }

    /// Returns the service of the app, delivery or service in the address of a request; `nil` if the address
    /// does not contain one of these.
    /// - Parameter names: The values in the path, by member name.
    /// - Throws: If the object does not exist for the caller.
    fileprivate func service(
        of names: [String: String], in operations: Operations
    ) throws(OperationError) -> ServiceID? {
        guard let finder = Self.finder(in: path), let first = APIPattern(path).names.first,
            let name = names[first]
        else { return nil }
        do { return try finder(name, operations) } catch { throw OperationError(error) }
    }
}

extension Operations {
    /// The services to which the caller is bound.
    package var bounds: ServiceBounds { store.bounds }

    /// Refuses the request of a caller who is bound to services if the operation concerns the whole instance,
    /// or if the request's address names an object of another service. Each face that receives requests of
    /// such callers must call this method first. Use cases find other objects through ``store``, which has
    /// the same bounds.
    /// - Parameter names: The values in the path, by member name.
    package func admit(_ operation: Operation, _ names: [String: String]) throws(OperationError) {
        guard bounds.areSet else { return }
        guard operation.reach == .services else {
            throw refusal(of: "this operation concerns the whole instance")
        }
        _ = try operation.service(of: names, in: self)
    }

    /// As ``admit(_:_:)``, for a face that has the request as a value.
    @_semantics("optimize.sil.specialize.generic.never")
    package func admit<Use: UseCase>(_ use: Use) throws(OperationError) {
        if bounds.areSet { try admit(use.requested, use.namesInPath) }
    }

    /// Returns the service to whose objects the request is limited; `nil` if it may concern the whole
    /// instance.
    @_semantics("optimize.sil.specialize.generic.never")
    func service<Use: UseCase>(addressedBy use: Use) throws(OperationError) -> ServiceID? {
        try use.requested.service(of: use.namesInPath, in: self)
    }

    func refusal(of what: String) -> OperationError {
        OperationError(
            .forbidden,
            "\(what), but \(caller) is bound to services; a caller that is not bound can request it")
    }
}

extension UseCase {
    @_semantics("optimize.sil.specialize.generic.never")
    fileprivate var namesInPath: [String: String] {
        Dictionary(
            Self.members.filter { $0.declaration.place == .path }.compactMap { member in
                member.get(self).flatMap { $0 == .null ? nil : (member.declaration.name, $0.addressText) }
            }
        ) { first, _ in first }
    }

    /// The operation that the values of the path's members select.
    @_semantics("optimize.sil.specialize.generic.never")
    fileprivate var requested: Operation {
        let names = namesInPath
        return Self.operations.first { operation in
            operation.given.allSatisfy { names[$0.key] == $0.value }
                && APIPattern(operation.path).names.allSatisfy { names[$0]?.isEmpty == false }
        } ?? Self.operation
    }
}

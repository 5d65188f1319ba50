internal import PushModel
internal import PushStore

/// What a command names must exist; the answer to a slip of the pen names what does.
extension Catalogue {
    func requireService(named name: String) throws -> Service {
        if let service = try service(named: name) { return service }
        throw Self.absence("service", name, existing: try services().map(\.name))
    }

    func requireApp(named name: String) throws -> App {
        if let app = try app(named: name) { return app }
        throw Self.absence("app", name, existing: try apps().map(\.name))
    }

    private static func absence(_ kind: String, _ name: String, existing: [String]) -> CommandFailure {
        let list = existing.prefix(20).joined(separator: ", ") + (existing.count > 20 ? ", …" : "")
        let hint = existing.isEmpty ? "make one with '\(kind) create'" : "there are: \(list)"
        return .refused("there is no \(kind) \(name); \(hint)")
    }
}

internal import PushModel
package import PushStore

/// Makes subscribers of an application valid again and forgets their errors. Deliveries prepared from now on
/// are sent to them; a gateway that still calls their tokens dead puts them back.
package struct ReleaseFromQuarantine: LongOperation, Audited {
    package static let name = "quarantine.release"
    package var auditText: AuditText? { .of("\(subscribers.described) of app \(app)") }

    package enum Subscribers: Equatable, Sendable {
        /// With these registration tokens, whole; at most ``mostTokens``.
        case tokens([String])
        case userKey(String)
        /// All that have errors.
        case all

        /// Without a token or a user key.
        fileprivate var described: String {
            switch self {
            case .tokens(let tokens): "tokens: \(tokens.count)"
            case .userKey: "one user key"
            case .all: "all"
            }
        }
    }

    package static var mostTokens: Int { QuarantineWriter.subscriptionsPerCall }

    package var app: String
    package var subscribers: Subscribers

    package init(app: String, subscribers: Subscribers) {
        self.app = app
        self.subscribers = subscribers
    }

    package func perform(
        in operations: Operations, watchedBy watch: Watch<ReleasedSubscribers>
    ) throws -> ReleasedSubscribers {
        let app = try operations.requireApp(named: app)
        let writer = operations.store.quarantineWriter
        var throttle = BulkWriteThrottle(operations)
        var sum = ReleaseStep()
        var released: ReleasedSubscribers {
            ReleasedSubscribers(released: sum.released, forgiven: sum.forgiven)
        }
        repeat {
            if sum.hasMore {
                try watch.proceed()
                throttle.pause()
            }
            switch subscribers {
            // Tokens of iOS are kept in lower case.
            case .tokens(let tokens):
                sum += try writer.release(
                    app.id, tokens: app.settings.platform == .ios ? tokens.map { $0.lowercased() } : tokens)
            case .userKey(let key): sum += try writer.release(app.id, userKey: key)
            case .all: sum += try writer.releaseAll(of: app.id)
            }
            watch.report(released)
        } while sum.hasMore
        return released
    }
}

package struct ReleasedSubscribers: Codable, Equatable, Sendable {
    /// Were excluded and are valid again.
    package var released: Int
    /// Were valid, and their errors are forgotten.
    package var forgiven: Int
}

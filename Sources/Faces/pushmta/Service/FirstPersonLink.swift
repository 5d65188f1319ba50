internal import Logging
internal import PushAPI
internal import PushModel

/// The link with which the first person of a new instance sets a password: an admin.
///
/// The service creates the person before other parts use the store, and logs the link when the web module
/// listens, because the module's port is unknown before.
struct FirstPersonLink {
    private let first: PersonLinkView

    /// Creates the person; `nil` if there is a person. A failure is only logged, because people can also be
    /// created with 'user create'.
    init?(in operations: Operations, _ logger: Logger) {
        do throws(OperationError) {
            guard try FirstPerson.isNeeded(in: operations),
                let first = try operations.with(caller: "the service's first start").carryOut(FirstPerson())
            else { return nil }
            self.first = first
        } catch {
            logger.error(
                "the console's first person: \(error); create a person with 'pushmta user create'")
            return nil
        }
    }

    /// - Parameter address: The address of the web module, such as `http://127.0.0.1:8080`.
    func log(for address: String, _ logger: Logger) {
        logger.notice(
            """
            the console has no people yet: sign in as \(first.person.name) with \(address)\(first.link), \
            once and before \(first.expiresAt.utcText); 'pushmta user reset \(first.person.name)' creates \
            another link
            """)
    }
}

internal import Logging
internal import PushAPI
internal import PushModel

/// The link with which the first person of a new instance sets a password: an admin.
enum FirstPersonLink {
    /// Creates the person and logs the link. Does nothing if there is a person. A failure is only logged,
    /// because people can also be created with 'user create'.
    /// - Parameter console: The console's address, such as `http://127.0.0.1:8080`.
    static func provide(for console: String, in operations: Operations, _ logger: Logger) {
        do throws(OperationError) {
            guard try FirstPerson.isNeeded(in: operations),
                let first = try operations.with(caller: "the service's first start").carryOut(FirstPerson())
            else { return }
            logger.notice(
                """
                the console has no people yet: sign in as \(first.person.name) with \(console)\(first.link), \
                once and before \(first.expiresAt.utcText); 'pushmta user reset \(first.person.name)' \
                creates another link
                """)
        } catch {
            logger.error(
                "the console's first person: \(error); create a person with 'pushmta user create'")
        }
    }
}

internal import Logging
internal import PushAPI

/// The first person of a new instance, who can use the console before anyone else exists.
enum FirstPersonLink {
    /// Creates the first person. Does nothing if there is a person. A failure is only logged, because people
    /// can also be created with 'user create'.
    /// - Returns: The path of the page where the person sets a password; `nil` if no person was created.
    static func provide(in operations: Operations, _ logger: Logger) -> String? {
        do throws(OperationError) {
            guard try FirstPerson.isNeeded(in: operations) else { return nil }
            return try operations.with(caller: "the service's first start").carryOut(FirstPerson())?.link
        } catch {
            logger.error(
                """
                the first person of the console was not created: \(error); create one with 'pushmta user \
                create admin --role admin'
                """)
            return nil
        }
    }
}

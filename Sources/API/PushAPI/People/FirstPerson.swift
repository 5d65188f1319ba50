internal import PushModel
package import PushStore

/// Creates the first person of a new instance: an admin, who sets a password with a link. It does so only if
/// there is nobody, so the service can carry it out at each start.
///
/// The service carries it out before it accepts requests, if the web module has the console:
/// `if try FirstPerson.isNeeded(in:)`, then `operations.with(caller: "the service's first start")` carries out
/// `FirstPerson()`, and the service logs the link of the answer after the console's address.
package struct FirstPerson: ChangingOperation {
    package static let name = "user.first"
    package static let personName = "admin"
    package var followUpCommand: String { "user list" }
    package var auditText: AuditText? { .of(Self.personName) }

    package init() {}

    /// Reports whether there is nobody.
    package static func isNeeded(in operations: Operations) throws(OperationError) -> Bool {
        do throws(StoreError) { return try !operations.store.people.isAny() } catch {
            throw OperationError(error)
        }
    }

    /// - Returns: `nil` if there is somebody. Nothing was changed.
    package func perform(in operations: Operations) throws -> PersonLinkView? {
        guard try !operations.store.people.isAny(), let name = PersonName(Self.personName) else { return nil }
        let (link, now) = (PersonSecret.make(), operations.clock.moment())
        do throws(StoreError) {
            let person = try operations.store.personWriter.create(
                name, .admin, services: [], link: link, at: now)
            return PersonLinkView(person, link, at: now)
        } catch {
            // Another process of the instance may have created the person in the meantime.
            guard case .duplicate = error.cause else { throw error }
            return nil
        }
    }
}

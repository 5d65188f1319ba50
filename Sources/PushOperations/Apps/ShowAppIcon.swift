internal import PushModel
internal import PushStore

/// An app's icon. Refuses an app that has none.
package struct ShowAppIcon: ShortOperation, UseCase {
    package static let name = "app.icon"
    package static let operation = Operation(
        .get, "/apps/{name}/icon", .read, "An app's icon; 404 if it has none.")
    package static let members: [Member<Self>] = [.path(\.name, "name", AppFields.nameHelp)]

    package private(set) var name = ""

    package init() {}
    package init(name: String) { self.name = name }

    package struct Answer: View, Equatable {
        package static let about = ["icon": "a PNG in base64"]

        package var app: String
        package var width: Int
        package var height: Int
        package var icon: AppIconImage
    }

    package func perform(in operations: Operations) throws -> Answer {
        let app = try operations.requireApp(named: name)
        guard let icon = try operations.store.catalogue.icon(of: app.id) else {
            throw OperationError.absent("app \(app.name) has no icon; 'app update --icon' gives it one")
        }
        return Answer(
            app: app.name, width: icon.width, height: icon.height, icon: AppIconImage(png: icon.png))
    }
}

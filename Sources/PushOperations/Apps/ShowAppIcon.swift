internal import PushModel
internal import PushStore

/// An app's icon; refused where it has none.
package struct ShowAppIcon: ShortOperation {
    package static let name = "app.icon"

    package var name: String

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

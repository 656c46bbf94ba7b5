/**
 * A plugin of TypeDoc: what a public class has from classes without a page is its own, as far as users can tell. Otherwise the
 * reference of each entry would say that its members are inherited. Anchors are as VitePress writes them, without `_`.
 */
import { Converter, ReflectionFlag } from 'typedoc';

/** @param {import('typedoc').Application} app */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => forgetSources(project), AFTER_OTHERS);
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => forgetBaseClasses(project));
  app.renderer.on('endPage', (page) => {
    page.contents = page.contents?.replace(/\]\([^)#\s]*#[^)]+\)/g, (link) => link.replaceAll('_', '-'));
  });
}

/** TypeDoc itself notes at the end of resolving where members come from. */
const AFTER_OTHERS = -1000;

const hasPage = (type) => type.reflection !== undefined;

function forgetSources(project) {
  for (const member of Object.values(project.reflections)) {
    if (!member.inheritedFrom || hasPage(member.inheritedFrom)) continue;
    delete member.inheritedFrom;
    member.setFlag(ReflectionFlag.Inherited, false);
  }
}

/** Not those of other packages: that an error is an `Error` matters. */
function forgetBaseClasses(project) {
  for (const declaration of Object.values(project.reflections)) {
    const bases = declaration.extendedTypes?.filter((type) => type.type !== 'reference' || hasPage(type) || type.package !== project.packageName);
    if (bases?.length === 0) delete declaration.extendedTypes;
    else if (bases) declaration.extendedTypes = bases;
  }
}

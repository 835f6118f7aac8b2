# SPDX-License-Identifier: GPL-3.0-or-later

# stratoplan_automoc(TARGET): its classes with Q_OBJECT are seen to, as AUTOMOC does, in a thirtieth of the time
# (packaging/moc-alone.in). Qt must be found before.
function(stratoplan_automoc target)
  set(script ${PROJECT_BINARY_DIR}/moc-alone)
  get_target_property(STRATOPLAN_MOC Qt6::moc LOCATION)
  configure_file(${PROJECT_SOURCE_DIR}/packaging/moc-alone.in ${script} @ONLY)
  set_target_properties(${target} PROPERTIES AUTOMOC ON AUTOMOC_EXECUTABLE ${script})
endfunction()
